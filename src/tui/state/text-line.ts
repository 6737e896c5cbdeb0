import type { Command } from '../keys.ts';

/** A line that is being typed. */
export interface TextLine {
  readonly text: string;
  /** Where the caret stands, in UTF-16 units. */
  readonly caret: number;
}

const EDITS = {
  erase: cutBefore(previousGrapheme),
  erase_ahead: (text, caret) => [text.slice(0, caret) + text.slice(nextGrapheme(text, caret)), caret],
  erase_word: cutBefore((text, caret) => text.slice(0, caret).search(/\S*\s*$/)),
  erase_line: (text, caret) => [text.slice(caret), 0],
  caret_left: (text, caret) => [text, previousGrapheme(text, caret)],
  caret_right: (text, caret) => [text, nextGrapheme(text, caret)],
  caret_start: (text) => [text, 0],
  caret_end: (text) => [text, text.length],
} as const satisfies Partial<Record<Command, (text: string, caret: number) => readonly [string, number]>>;

export type LineCommand = keyof typeof EDITS;

export function isLineCommand(command: Command): command is LineCommand {
  return command in EDITS;
}

export function editLine({ text, caret }: TextLine, command: LineCommand): TextLine {
  const [changed, at] = EDITS[command](text, caret);
  return { text: changed, caret: at };
}

/** Puts text in where the caret stands. */
export function typeInLine({ text, caret }: TextLine, typed: string): TextLine {
  return { text: text.slice(0, caret) + typed + text.slice(caret), caret: caret + typed.length };
}

function cutBefore(start: (text: string, caret: number) => number): (text: string, caret: number) => [string, number] {
  return (text, caret) => {
    const from = start(text, caret);
    return [text.slice(0, from) + text.slice(caret), from];
  };
}

function previousGrapheme(text: string, caret: number): number {
  const last = [...new Intl.Segmenter().segment(text.slice(0, caret))].at(-1);
  return last?.index ?? 0;
}

function nextGrapheme(text: string, caret: number): number {
  const [first] = new Intl.Segmenter().segment(text.slice(caret));
  return caret + (first?.segment.length ?? 0);
}
