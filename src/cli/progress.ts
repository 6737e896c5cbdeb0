import { fitTo } from '../model/display/width.ts';
import type { Terminal } from './terminal.ts';

/** What is over by then needs no progress. */
const FIRST_MS = 300;
/** Often enough to look alive, seldom enough to cost nothing. */
const EVERY_MS = 100;

/** One line on stderr that is drawn over and over while something long goes on; only where a person sees it. */
export class ProgressLine {
  readonly #terminal: Terminal;
  #drawn = false;
  #next = Date.now() + FIRST_MS;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws `text()` unless it was drawn a moment ago. */
  show(text: () => string): void {
    if (!this.#terminal.live) return;
    const now = Date.now();
    if (now < this.#next) return;
    this.#next = now + EVERY_MS;
    this.#drawn = true;
    // A line as wide as the terminal wraps, and then can't be drawn over.
    this.#terminal.draw(`\r\x1b[K${fitTo(text(), this.#terminal.noteColumns - 1)}`);
  }

  /** Takes the line away, before anything else is printed. */
  clear(): void {
    if (this.#drawn) this.#terminal.draw('\r\x1b[K');
    this.#drawn = false;
  }
}
