import { BabelqError, withHint } from '../../model/errors.ts';
import { rateOf, wholeNumber } from '../../model/options/numbers.ts';
import { refuseNoQueue } from '../../model/options/target.ts';
import { type Watching, watchingOf } from '../../model/options/watching.ts';
import type { Options, TextOption } from './flow-state.ts';

/** What an action is asked beside the messages. */
export interface Terms {
  readonly to?: string;
  /** Messages a second. */
  readonly rate?: number;
  readonly max?: number;
  readonly bypass: boolean;
  /** Why, for the journal. */
  readonly note: string | null;
  readonly watching: Watching | null;
}

/** What the options are called where they are shown and typed. */
export const NAMES = {
  target: 'target',
  rate: 'rate',
  max: 'max',
  canary: 'canary',
  wait: 'wait',
  note: 'say why',
} as const satisfies Record<TextOption, string>;

/** Reads what was typed, by the command line's own rules. @throws BabelqError `usage` */
export function termsOf({ target, rate, max, canary, wait, note, bypass }: Options): Terms {
  refuseNoQueue(given(target), NAMES.target);
  return {
    ...(target !== '' && { to: target }),
    ...(rate !== '' && { rate: rateOf(rate, NAMES.rate) }),
    ...(max !== '' && { max: wholeNumber(max, NAMES.max) }),
    bypass,
    note: note.trim() === '' ? null : note.trim(),
    watching: watchingOf({ ...(wait !== '' && { wait }), ...(canary !== '' && { canary }) }, NAMES),
  };
}

/** Why what was typed can't be taken; null where it can. */
export function whyNot(options: Options): string | null {
  try {
    termsOf(options);
    return null;
  } catch (error) {
    if (!(error instanceof BabelqError)) throw error;
    return withHint(error);
  }
}

function given(text: string): string | undefined {
  return text === '' ? undefined : text;
}
