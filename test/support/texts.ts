import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'vite';

const SRC = resolve(import.meta.dirname, '../../src');

/** Something in the sources, as ESTree has it. */
export interface SourceNode {
  /** `src/cli/open.ts` */
  file: string;
  /** From 1. */
  line: number;
  // biome-ignore lint/suspicious/noExplicitAny: its members are its type's
  node: any;
}

/** All that the sources consist of, but for what they import. */
export function* sourceNodes(): Generator<SourceNode> {
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    const text = readFileSync(join(SRC, file), 'utf8');
    const tree = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
    for (const node of nodesIn(tree)) {
      const line = () => text.slice(0, (node as { start: number }).start).split('\n').length;
      yield {
        file: `src/${file}`,
        get line() {
          return line();
        },
        node,
      };
    }
  }
}

function* nodesIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) {
    if (value.type === 'ImportDeclaration') return;
    yield value;
  }
  for (const one of Object.values(value)) yield* nodesIn(one);
}

/** Every string and template of the sources; what a template puts in is `…`. */
export function sourceTexts(): { file: string; text: string }[] {
  return [...sourceNodes()].flatMap(({ file, node }) => {
    if (node.type === 'Literal' && typeof node.value === 'string') return [{ file, text: node.value as string }];
    if (node.type !== 'TemplateLiteral') return [];
    const parts = node.quasis as { value: { cooked: string } }[];
    return [{ file, text: parts.map(({ value }) => value.cooked).join('…') }];
  });
}
