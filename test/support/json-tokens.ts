/**
 * A second opinion on JSON objects, for tests: members found by a tokenizer that shares nothing with the product's
 * scanner. The text must be a valid JSON object.
 */
export interface TokenMember {
  /** The key, decoded. */
  key: string;
  /** The value's tokens, without the white space between them. */
  value: string[];
  /** The member as stored, from its key's first quote to its value's last character. */
  text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

export function topLevelMembers(text: string): TokenMember[] {
  const tokens = [...text.matchAll(TOKEN)];
  const members: TokenMember[] = [];
  let depth = 0;
  let start = 0;
  for (const [i, token] of tokens.entries()) {
    const said = token[0];
    const ends = depth === 1 && (said === ',' || said === '}');
    if (ends && i > start) {
      const own = tokens.slice(start, i);
      const last = own.at(-1);
      members.push({
        key: JSON.parse(own[0]?.[0] ?? ''),
        value: own.slice(2).map((part) => part[0]),
        text: text.slice(own[0]?.index, (last?.index ?? 0) + (last?.[0].length ?? 0)),
      });
    }
    if (said === '{' || said === '[') depth++;
    if (said === '}' || said === ']') depth--;
    if (ends || (depth === 1 && i === 0)) start = i + 1;
  }
  return members;
}
