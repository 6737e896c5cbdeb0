import { Document, isMap } from 'yaml';

/** A source as it is to stand in the file; what is left out is found by itself. */
export interface WrittenSource {
  settings: Readonly<Record<string, string>>;
  /** What a person should know of it, above it. */
  comment: string | null;
}

const HEADER = ' Found by babelq sources discover. Every setting there is: babelq config schema';

/** A babelq.yaml with these sources. */
export function writeConfig(sources: readonly WrittenSource[]): string {
  const document = new Document({ sources: sources.map(({ settings }) => settings) });
  document.commentBefore = HEADER;
  const list = document.get('sources') as { items: unknown[] };
  for (const [at, { comment }] of sources.entries()) {
    const item = list.items[at];
    if (comment !== null && isMap(item)) item.commentBefore = ` ${comment}`;
  }
  return document.toString({ lineWidth: 0 });
}
