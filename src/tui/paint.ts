import { Chalk } from 'chalk';
import type { Line, Tone } from './text/line.ts';

/** Turns lines into what a terminal takes. */
export interface Paint {
  line(spans: Line): string;
  tone(text: string, tone: Tone): string;
}

/**
 * Bold, dim and inverse always; colours only where they are wanted, and then the terminal's own sixteen, which its person
 * chose for its background.
 */
export function paintFor(color: boolean): Paint {
  const chalk = new Chalk({ level: 1 });
  const plain = (text: string) => text;
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    plain,
    dim: chalk.dim,
    strong: chalk.bold,
    accent: color ? chalk.cyan : plain,
    good: color ? chalk.green : plain,
    warn: color ? chalk.yellow : plain,
    bad: color ? chalk.red : chalk.bold,
    inverse: chalk.inverse,
  };
  const tone = (text: string, name: Tone) => (text === '' ? '' : tones[name](text));
  return { tone, line: (spans) => spans.map(({ text, tone: name }) => tone(text, name)).join('') };
}
