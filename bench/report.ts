/** What the suites measured, as a table or as JSON. */
import { cpus } from 'node:os';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The bound it must keep, where one is promised. */
  target?: { least?: number; most?: number };
}

/** What one suite found. */
export interface Findings {
  figures: Figure[];
  /** Sentences on what was left out, or on what a figure doesn't show. */
  notes?: string[];
}

/** What every suite is told. */
export interface Bench {
  /** How often each side is run; figures are medians. */
  readonly rounds: number;
  /** A temporary folder for everything that is written. */
  readonly folder: string;
}

export type Suite = (bench: Bench) => Promise<Findings>;

export function asText({ figures, notes }: Required<Findings>, rounds: number): string {
  const lines = [`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, medians of ${rounds}`, ''];
  for (const { name, value, unit, target } of figures) {
    const figure = value.toFixed(value < 10 ? 2 : 0);
    lines.push(`${name.padEnd(64)} ${figure.padStart(7)} ${unit.padEnd(11)} ${verdict(value, target)}`.trimEnd());
  }
  for (const note of notes) lines.push('', note);
  return `${lines.join('\n')}\n`;
}

export function asJson({ figures, notes }: Required<Findings>, rounds: number): string {
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model };
  return `${JSON.stringify({ ...machine, rounds, figures, notes }, null, 2)}\n`;
}

function verdict(value: number, { least, most }: { least?: number; most?: number } = {}): string {
  if (least !== undefined) return `at least ${least}: ${value >= least ? 'met' : 'MISSED'}`;
  if (most !== undefined) return `at most ${most}: ${value <= most ? 'met' : 'MISSED'}`;
  return '';
}
