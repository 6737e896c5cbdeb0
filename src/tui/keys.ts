/**
 * The keys, in one table: what a key does where is looked up here, and the footer, the help and the documentation are
 * made from it.
 */

/** What the screens can be in: a screen, or what a screen is busy with. */
export type Mode =
  | 'failures'
  /** The list of what was dismissed. */
  | 'archive'
  | 'filtering'
  | 'failure'
  /** One that was dismissed. */
  | 'archived'
  | 'planning'
  | 'confirming'
  /** A confirmation of nothing: none of it can be done. */
  | 'impossible'
  | 'acting'
  | 'stopping'
  | 'result'
  | 'log'
  | 'sources'
  | 'help'
  | 'leaving'
  | 'too_small';

export type Command =
  | 'up'
  | 'down'
  | 'page_up'
  | 'page_down'
  | 'first'
  | 'last'
  | 'open'
  | 'next'
  | 'previous'
  | 'back'
  | 'filter'
  | 'clear'
  | 'accept'
  | 'abandon'
  | 'erase'
  | 'erase_ahead'
  | 'erase_word'
  | 'erase_line'
  | 'caret_left'
  | 'caret_right'
  | 'caret_start'
  | 'caret_end'
  | 'select'
  | 'select_all'
  | 'retry'
  | 'dismiss'
  | 'restore'
  | 'undo'
  | 'order'
  | 'read'
  | 'archive'
  | 'log'
  | 'sources'
  | 'help'
  | 'yes'
  | 'no'
  | 'cancel'
  | 'quit'
  | 'interrupt';

export interface Binding {
  readonly command: Command;
  readonly keys: readonly string[];
  readonly modes: readonly Mode[];
  /** For the help: what it does. */
  readonly says: string;
  /** For the footer, where it is worth a place there. */
  readonly short?: string;
}

const LISTS: readonly Mode[] = ['failures', 'archive'];
const ONES: readonly Mode[] = ['failure', 'archived'];
const SCROLLED: readonly Mode[] = [...LISTS, ...ONES, 'log', 'sources', 'help', 'confirming', 'impossible', 'result'];

/** In the order in which the footer gives them a place. */
export const BINDINGS: readonly Binding[] = [
  { command: 'yes', keys: ['y'], modes: ['confirming'], says: 'do it', short: 'yes' },
  {
    command: 'no',
    keys: ['n', 'esc', 'q'],
    modes: ['confirming'],
    says: "don't: nothing is changed",
    short: 'no',
  },
  { command: 'no', keys: ['n', 'esc', 'q', 'enter'], modes: ['impossible'], says: 'back', short: 'back' },
  { command: 'accept', keys: ['enter'], modes: ['filtering'], says: 'keep the filter', short: 'keep' },
  { command: 'abandon', keys: ['esc'], modes: ['filtering'], says: 'clear the filter', short: 'clear' },
  {
    command: 'cancel',
    keys: ['esc', 'ctrl+c'],
    modes: ['planning', 'acting'],
    says: 'stop: what was begun is finished, the rest stays as it is',
    short: 'stop',
  },
  {
    command: 'open',
    keys: ['enter', 'i', 'l', 'right'],
    modes: LISTS,
    says: 'look at the failure',
    short: 'inspect',
  },
  {
    command: 'filter',
    keys: ['/'],
    modes: LISTS,
    says: 'filter as you type: words, reason:failed queue:orders* since:2h order_id=1042',
    short: 'filter',
  },
  {
    command: 'retry',
    keys: ['r'],
    modes: ['failures', 'failure'],
    says: 'retry the selected (or this one): asks first',
    short: 'retry',
  },
  {
    command: 'dismiss',
    keys: ['d'],
    modes: ['failures', 'failure'],
    says: 'dismiss the selected (or this one), kept 30 days: asks first',
    short: 'dismiss',
  },
  {
    command: 'undo',
    keys: ['u'],
    modes: ['failures', 'failure'],
    says: 'undo your last dismissal: asks first',
    short: 'undo',
  },
  { command: 'select', keys: ['space'], modes: LISTS, says: 'select, or take back', short: 'select' },
  { command: 'select_all', keys: ['a'], modes: LISTS, says: 'select all that match, or none', short: 'all' },
  {
    command: 'restore',
    keys: ['b'],
    modes: ['archive', 'archived'],
    says: 'bring back the selected (or this one): asks first',
    short: 'bring back',
  },
  {
    command: 'archive',
    keys: ['v'],
    modes: ['failures'],
    says: 'view what was dismissed, to bring it back (the filter state:dismissed)',
    short: 'dismissed',
  },
  { command: 'archive', keys: ['v'], modes: ['archive'], says: 'view the failures again', short: 'failures' },
  { command: 'order', keys: ['o'], modes: LISTS, says: 'change the order', short: 'order' },
  { command: 'read', keys: ['R'], modes: [...LISTS, 'sources'], says: 'read the queues again', short: 'read' },
  {
    command: 'log',
    keys: ['L'],
    modes: ['failures', 'failure', 'sources'],
    says: 'what was done, run by run',
    short: 'log',
  },
  {
    command: 'sources',
    keys: ['!'],
    modes: [...LISTS, ...ONES, 'log'],
    says: 'the sources, with their counts and troubles in full',
    short: 'sources',
  },
  { command: 'next', keys: ['n', ']'], modes: ONES, says: 'the next failure', short: 'next' },
  { command: 'previous', keys: ['p', '['], modes: ONES, says: 'the one before' },
  { command: 'up', keys: ['up', 'k'], modes: SCROLLED, says: 'up' },
  { command: 'down', keys: ['down', 'j'], modes: SCROLLED, says: 'down' },
  { command: 'up', keys: ['up'], modes: ['filtering'], says: 'up in the list' },
  { command: 'down', keys: ['down'], modes: ['filtering'], says: 'down in the list' },
  { command: 'page_up', keys: ['pgup', 'ctrl+b'], modes: SCROLLED, says: 'a page up' },
  { command: 'page_down', keys: ['pgdn', 'ctrl+f'], modes: SCROLLED, says: 'a page down' },
  { command: 'page_down', keys: ['space'], modes: [...ONES, 'log', 'sources', 'help'], says: 'a page down' },
  { command: 'first', keys: ['g', 'home'], modes: SCROLLED, says: 'to the top' },
  { command: 'last', keys: ['G', 'end'], modes: SCROLLED, says: 'to the end' },
  { command: 'clear', keys: ['esc'], modes: LISTS, says: 'clear the filter, then the selection' },
  { command: 'erase', keys: ['backspace'], modes: ['filtering'], says: 'erase' },
  { command: 'erase_ahead', keys: ['delete', 'ctrl+d'], modes: ['filtering'], says: 'erase what follows' },
  { command: 'erase_word', keys: ['ctrl+w'], modes: ['filtering'], says: 'erase a word' },
  { command: 'erase_line', keys: ['ctrl+u'], modes: ['filtering'], says: 'erase the line' },
  { command: 'caret_left', keys: ['left'], modes: ['filtering'], says: 'left' },
  { command: 'caret_right', keys: ['right'], modes: ['filtering'], says: 'right' },
  { command: 'caret_start', keys: ['home', 'ctrl+a'], modes: ['filtering'], says: 'to the start' },
  { command: 'caret_end', keys: ['end', 'ctrl+e'], modes: ['filtering'], says: 'to the end' },
  {
    command: 'back',
    keys: ['q', 'esc', 'h', 'left'],
    modes: [...ONES, 'log', 'sources', 'help', 'result'],
    says: 'back',
    short: 'back',
  },
  { command: 'back', keys: ['enter'], modes: ['result'], says: 'back' },
  { command: 'back', keys: ['?'], modes: ['help'], says: 'back' },
  {
    command: 'help',
    keys: ['?'],
    modes: [...LISTS, ...ONES, 'log', 'sources', 'confirming', 'impossible', 'result'],
    says: 'this help',
    short: 'help',
  },
  { command: 'quit', keys: ['q'], modes: [...LISTS, 'too_small'], says: 'quit', short: 'quit' },
  {
    command: 'interrupt',
    keys: ['ctrl+c'],
    modes: ['stopping', 'leaving'],
    says: 'leave at once: what is held stays hidden for a while',
    short: 'leave at once',
  },
  {
    command: 'interrupt',
    keys: ['ctrl+c'],
    modes: [...SCROLLED, 'filtering', 'too_small'],
    says: 'leave',
  },
];

const BY_MODE = new Map<Mode, Map<string, Command>>();
for (const { command, keys, modes } of BINDINGS) {
  for (const mode of modes) {
    const ofMode = BY_MODE.get(mode) ?? new Map<string, Command>();
    for (const key of keys) {
      if (ofMode.has(key)) throw new Error(`The key ${key} does two things in ${mode}.`);
      ofMode.set(key, command);
    }
    BY_MODE.set(mode, ofMode);
  }
}

/** What a key does in a mode; undefined where it does nothing. */
export function commandFor(mode: Mode, key: string): Command | undefined {
  return BY_MODE.get(mode)?.get(key);
}

/** The keys that work in a mode, in the table's order. */
export function bindingsFor(mode: Mode): readonly Binding[] {
  return BINDINGS.filter(({ modes }) => modes.includes(mode));
}

const SHOWN: ReadonlyMap<string, string> = new Map([
  ['up', '↑'],
  ['down', '↓'],
  ['left', '←'],
  ['right', '→'],
  ['pgup', 'PgUp'],
  ['pgdn', 'PgDn'],
  ['home', 'Home'],
  ['end', 'End'],
  ['enter', 'Enter'],
  ['esc', 'Esc'],
  ['space', 'Space'],
  ['backspace', 'Backspace'],
  ['delete', 'Del'],
]);

/** A key as it is written for a person: `Esc`, `Ctrl+C`, `R`. */
export function keyName(key: string): string {
  return SHOWN.get(key) ?? (key.startsWith('ctrl+') ? `Ctrl+${key.slice(5).toUpperCase()}` : key);
}
