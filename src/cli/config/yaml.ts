import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { BabelqError } from '../../model/errors.ts';
import { suggestion } from '../suggest.ts';
import type { Setting } from './config.ts';
import { fillIn } from './variables.ts';

/** A value of the file with where it stands, so that every complaint can say `babelq.yaml:7: sources[1].queue …`. */
export interface Value {
  node: Node | null;
  /** `sources[0].columns.status`; empty for the whole file. */
  path: string;
  /** The line it stands on, from 1. */
  line: number;
}

/** Where what was written there says itself what is wrong. */
const SETTINGS = 'babelq config schema has every setting, with what it takes.';

/** Reads one YAML file into checked values. Every method throws BabelqError `config` with the file, the line and the path. */
export class YamlReader {
  readonly #file: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #lines = new LineCounter();
  readonly #document;
  readonly root: Value;
  /** Every text and flag that was read, in that order. */
  readonly settings: Setting[] = [];

  constructor(file: string, text: string, env: Readonly<Record<string, string | undefined>>) {
    this.#file = file;
    this.#env = env;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const error = this.#document.errors[0];
    if (error) throw this.#bad(this.#lines.linePos(error.pos[0]).line, '', error.message.split('\n')[0] ?? '');
    this.root = this.#value(this.#document.contents, '', 1);
  }

  /** Whether the file says nothing at all. */
  get empty(): boolean {
    const { node } = this.root;
    return node === null || (isScalar(node) && node.value === null);
  }

  /** A map's members; each key must be among those known. */
  map(value: Value, known: readonly string[]): Map<string, Value> {
    return this.#members(value, (key, line, path) => {
      if (!known.includes(key)) {
        const where = value.path === '' ? 'at the top of the file' : `under ${value.path}`;
        throw this.#bad(line, path, `there is no such setting ${where}`, suggestion(key, known));
      }
    });
  }

  /** A map whose keys are free and whose values are text. */
  texts(value: Value): Record<string, string> {
    const members = this.#members(value, () => {});
    return Object.fromEntries([...members].map(([key, member]) => [key, this.text(member)]));
  }

  list(value: Value): Value[] {
    const { node } = value;
    if (!isSeq(node)) throw this.wrong(value, 'a list');
    return node.items.map((item, at) => this.#value(item as Node, `${value.path}[${at}]`, value.line));
  }

  flag(value: Value): boolean {
    const { node } = value;
    if (!isScalar(node) || typeof node.value !== 'boolean') throw this.wrong(value, 'true or false');
    this.#note(value, node.value, []);
    return node.value;
  }

  /** Text that isn't blank, with `${VARIABLE}` put in; `$${` is a plain `${`. */
  text(value: Value): string {
    const { node } = value;
    if (!isScalar(node) || typeof node.value !== 'string') throw this.wrong(value, 'text');
    const filled = fillIn(node.value, this.#env);
    if ('missing' in filled) throw this.#unfilled(value, filled.missing);
    const { text, variables } = filled;
    if (text.trim() === '') throw this.wrong(value, 'text that is not empty');
    this.#note(value, text, variables);
    return text;
  }

  #unfilled({ line, path }: Value, missing: string | null): BabelqError {
    if (missing === null) {
      return this.#bad(
        line,
        path,
        `a \${ in it names no variable`,
        `Write \${NAME} for a variable of the environment, and $\${ for a plain \${.`,
      );
    }
    const what = `the variable \${${missing}} is not set, or empty`;
    return this.#bad(line, path, what, `Set ${missing} in the environment, or write the value into the file.`);
  }

  #note({ path, line }: Value, value: string | boolean, variables: string[]): void {
    this.settings.push({ path, value, file: this.#file, line, variables });
  }

  /** `babelq.yaml:7: sources[1]`, for who finds out later that something is wrong there. */
  place({ line, path }: Value): string {
    return `${this.#file}:${line}: ${path}`;
  }

  /** The error for a value that isn't what it must be; `hint` says what to write instead. */
  wrong(value: Value, expected: string, hint?: string): BabelqError {
    return this.#bad(value.line, value.path, `must be ${expected}, not ${describe(value.node)}`, hint);
  }

  /** The error for something else that is wrong there. */
  problem(value: Value, what: string, hint?: string): BabelqError {
    return this.#bad(value.line, value.path, what, hint);
  }

  #members(value: Value, check: (key: string, line: number, path: string) => void): Map<string, Value> {
    const { node } = value;
    if (!isMap(node)) throw this.wrong(value, 'a map of settings');
    const members = new Map<string, Value>();
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const line = this.#lineOf(pair.key) ?? value.line;
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const path = value.path === '' ? key : `${value.path}.${key}`;
      check(key, line, path);
      members.set(key, this.#value(pair.value, path, line));
    }
    return members;
  }

  #value(node: Node | null, path: string, line: number): Value {
    const resolved = isAlias(node) ? (node.resolve(this.#document) ?? null) : node;
    return { node: resolved, path, line: this.#lineOf(node) ?? line };
  }

  #lineOf(node: Node | null): number | undefined {
    const start = node?.range?.[0];
    return start === undefined ? undefined : this.#lines.linePos(start).line;
  }

  #bad(line: number, path: string, what: string, hint = SETTINGS): BabelqError {
    const sentence = path === '' ? `${what.charAt(0).toLowerCase()}${what.slice(1)}` : `${path}: ${what}`;
    return new BabelqError('config', `${this.#file}:${line}: ${sentence.replace(/\.$/, '')}.`, { hint });
  }
}

function describe(node: Node | null): string {
  if (node === null || (isScalar(node) && node.value === null)) return 'nothing';
  if (isMap(node)) return 'a map';
  if (isSeq(node)) return 'a list';
  if (isScalar(node) && typeof node.value === 'string') return 'text';
  return isScalar(node) ? `a ${typeof node.value}` : 'this';
}
