import { escapeText } from '../../model/display/escape.ts';
import { displayWidth, padTo } from '../../model/display/width.ts';
import { BLANK, type Line, line, span, type Tone } from './line.ts';
import { wrapText } from './wrap.ts';

const LABEL = 11;

/** Builds the lines of a page. Every value is escaped and wrapped here. */
export class Page {
  readonly lines: Line[] = [];
  readonly #width: number;

  constructor(width: number) {
    this.#width = Math.max(20, width);
  }

  add(...lines: readonly Line[]): this {
    return this.addAll(lines);
  }

  /** However many: an argument a line would overflow the stack. */
  addAll(lines: readonly Line[]): this {
    for (const one of lines) this.lines.push(one);
    return this;
  }

  gap(): this {
    return this.lines.length === 0 || this.lines.at(-1) === BLANK ? this : this.add(BLANK);
  }

  title(text: string): this {
    return this.gap().add(line(escapeText(text), 'strong'));
  }

  /** Text of any length. `escaped`: it already is. */
  text(text: string, tone: Tone = 'plain', escaped: 'escaped' | 'raw' = 'raw'): this {
    const safe = escaped === 'escaped' ? text : escapeText(text);
    return this.addAll(wrapText(safe, this.#width).map((part) => line(part, tone)));
  }

  /** A label and its value; nothing where the value isn't known. */
  field(label: string, value: string | null, tone: Tone = 'plain'): this {
    if (value === null || value === '') return this;
    wrapText(escapeText(value), this.#width - LABEL - 1).forEach((part, at) => {
      this.lines.push([span(`${padTo(at === 0 ? escapeText(label) : '', LABEL)} `, 'dim'), span(part, tone)]);
    });
    return this;
  }

  /** A titled list of names and values; nothing where it is empty. */
  pairs(title: string, entries: readonly (readonly [string, string])[]): this {
    if (entries.length === 0) return this;
    this.title(title);
    const names = entries.map(([name]) => escapeText(name));
    const width = Math.min(Math.floor(this.#width / 3), Math.max(...names.map(displayWidth)));
    entries.forEach(([, value], at) => {
      const name = names[at] ?? '';
      const wide = displayWidth(name) > width;
      if (wide) this.add(...wrapText(name, this.#width - 2).map((part) => line(`  ${part}`, 'dim')));
      wrapText(escapeText(value), Math.max(10, this.#width - width - 4)).forEach((part, index) => {
        const label = !wide && index === 0 ? padTo(name, width) : ' '.repeat(width);
        this.lines.push([span(`  ${label}  `, 'dim'), span(part)]);
      });
    });
    return this;
  }
}
