import type { Workspace } from '../../model/workspace.ts';
import type { OpenEditor } from '../options.ts';
import type { Event } from '../state/events.ts';
import type { State } from '../state/state.ts';

/** What the work has in hand. */
export interface WorkContext {
  readonly workspace: Workspace;
  readonly allowReceive: boolean;
  readonly limit: number | 'all';
  readonly openEditor: OpenEditor;
  /** Gives the terminal to another program while it runs. */
  away(work: () => Promise<void>): Promise<void>;
  state(): State;
  dispatch(event: Event): void;
  /** Something that must not happen did: the screens end. */
  fail(error: unknown): void;
}

/** Progress comes by the message; a person sees ten pictures a second. */
const EVERY_MS = 100;

/** Passes on the first call at once, and of those that follow the last, ten times a second. */
export function throttled<T>(pass: (value: T) => void): { call: (value: T) => void; end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let latest: { value: T } | null = null;
  const flush = () => {
    timer = null;
    if (latest === null) return;
    const { value } = latest;
    latest = null;
    timer = setTimeout(flush, EVERY_MS);
    pass(value);
  };
  return {
    call: (value) => {
      latest = { value };
      if (timer === null) flush();
    },
    end: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      latest = null;
    },
  };
}
