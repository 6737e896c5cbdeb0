/**
 * The keys, in one table: what a key does where is looked up here, and the footer, the help and the documentation are
 * made from it.
 */

/** What the screens can be in: a screen, or what a screen is busy with. */
export type Mode =
  | 'groups'
  /** The groups of what was dismissed. */
  | 'archive_groups'
  | 'failures'
  /** The list of what was dismissed. */
  | 'archive'
  | 'filtering'
  | 'failure'
  /** While what is looked for in a failure is typed. */
  | 'searching'
  /** One that was dismissed. */
  | 'archived'
  | 'planning'
  /** Of a dismissal, or a restoration. */
  | 'confirming'
  | 'confirming_retry'
  /** Of a retry whose body was edited. */
  | 'confirming_edit'
  /** An option of a confirmation is typed. */
  | 'option'
  /** The person's editor has the terminal. */
  | 'editing'
  /** What was saved can't be sent. */
  | 'unsendable'
  /** A confirmation of nothing: none of it can be done. */
  | 'impossible'
  /** The same of a retry, which may do with another target. */
  | 'impossible_retry'
  | 'acting'
  | 'stopping'
  | 'result'
  /** The result of a dismissal that can be undone. */
  | 'dismissal'
  | 'log'
  /** One run of the log. */
  | 'run'
  /** One message of a run. */
  | 'entry'
  | 'log_filtering'
  | 'palette'
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
  | 'open_group'
  | 'open_all'
  | 'groups'
  | 'back_to_groups'
  | 'group_by'
  | 'next_pane'
  | 'previous_pane'
  | 'fold'
  | 'fold_all'
  | 'search'
  | 'next_match'
  | 'previous_match'
  | 'leave_failure'
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
  | 'range'
  | 'range_up'
  | 'range_down'
  | 'retry'
  | 'dismiss'
  | 'restore'
  | 'edit'
  | 'edit_again'
  | 'undo'
  | 'order'
  | 'order_reversed'
  | 'read'
  | 'hold'
  | 'archive'
  | 'log'
  | 'log_open'
  | 'log_filter'
  | 'palette'
  | 'sources'
  | 'help'
  | 'set_target'
  | 'set_rate'
  | 'set_max'
  | 'set_canary'
  | 'set_wait'
  | 'set_bypass'
  | 'set_note'
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

const GROUPS: readonly Mode[] = ['groups', 'archive_groups'];
const FAILURES: readonly Mode[] = ['failures', 'archive'];
export const LISTS: readonly Mode[] = [...GROUPS, ...FAILURES];
const ONES: readonly Mode[] = ['failure', 'archived'];
const RETRIES: readonly Mode[] = ['confirming_retry', 'confirming_edit'];
const CONFIRMING: readonly Mode[] = ['confirming', ...RETRIES];
const IMPOSSIBLE: readonly Mode[] = ['impossible', 'impossible_retry'];
const RESULTS: readonly Mode[] = ['result', 'dismissal'];
const LOGS: readonly Mode[] = ['log', 'run'];
const PAGES: readonly Mode[] = ['entry', 'sources', 'help', 'unsendable', ...RESULTS];
/** Where a line is typed. */
export const TYPING: readonly Mode[] = ['filtering', 'searching', 'option', 'log_filtering', 'palette'];
const SCROLLED: readonly Mode[] = [...LISTS, ...ONES, ...LOGS, ...PAGES, ...CONFIRMING, ...IMPOSSIBLE];

/** In the order in which the footer gives them a place. */
export const BINDINGS: readonly Binding[] = [
  { command: 'yes', keys: ['y'], modes: CONFIRMING, says: 'do it', short: 'yes' },
  {
    command: 'no',
    keys: ['n', 'esc', 'q'],
    modes: CONFIRMING,
    says: "don't: nothing is changed",
    short: 'no',
  },
  { command: 'no', keys: ['n', 'esc', 'q', 'enter'], modes: IMPOSSIBLE, says: 'back', short: 'back' },
  {
    command: 'set_target',
    keys: ['t'],
    modes: ['impossible_retry'],
    says: 'another queue to send to (--to)',
    short: 'another target',
  },
  {
    command: 'edit_again',
    keys: ['e'],
    modes: ['confirming_edit', 'unsendable'],
    says: 'edit again what you saved',
    short: 'edit again',
  },
  { command: 'set_target', keys: ['t'], modes: RETRIES, says: 'the queue to send to (--to)' },
  { command: 'set_rate', keys: ['r'], modes: CONFIRMING, says: 'messages a second (--rate)' },
  { command: 'set_max', keys: ['m'], modes: CONFIRMING, says: 'this many at most (--max)' },
  {
    command: 'set_canary',
    keys: ['c'],
    modes: RETRIES,
    says: 'so many first, the rest only if these stay away (--canary)',
  },
  { command: 'set_wait', keys: ['w'], modes: RETRIES, says: 'watch so long what comes back (--wait)' },
  {
    command: 'set_bypass',
    keys: ['b'],
    modes: RETRIES,
    says: 'tell handlers to skip outside effects that happened already (--bypass)',
  },
  { command: 'set_note', keys: ['s'], modes: CONFIRMING, says: 'say why, for the journal (--reason-note)' },
  { command: 'accept', keys: ['enter'], modes: ['filtering'], says: 'keep the filter', short: 'keep' },
  {
    command: 'accept',
    keys: ['enter'],
    modes: ['searching'],
    says: 'keep the text: n and N step through where it stands',
    short: 'keep',
  },
  { command: 'abandon', keys: ['esc'], modes: ['searching'], says: 'stop looking', short: 'clear' },
  { command: 'abandon', keys: ['esc'], modes: ['filtering'], says: 'clear the filter', short: 'clear' },
  { command: 'accept', keys: ['enter'], modes: ['log_filtering'], says: 'keep the filter', short: 'keep' },
  { command: 'abandon', keys: ['esc'], modes: ['log_filtering'], says: 'clear the filter', short: 'clear' },
  { command: 'accept', keys: ['enter'], modes: ['palette'], says: 'do it', short: 'do it' },
  { command: 'abandon', keys: ['esc'], modes: ['palette'], says: 'leave it', short: 'leave it' },
  { command: 'accept', keys: ['enter'], modes: ['option'], says: 'take it; empty for none', short: 'take it' },
  { command: 'abandon', keys: ['esc'], modes: ['option'], says: 'leave it as it was', short: 'leave it' },
  {
    command: 'cancel',
    keys: ['esc', 'ctrl+c'],
    modes: ['planning', 'acting'],
    says: 'stop: what was begun is finished, the rest stays as it is',
    short: 'stop',
  },
  {
    command: 'next_pane',
    keys: ['tab'],
    modes: ONES,
    says: 'the next part: summary, attributes, history, body',
    short: 'body and more',
  },
  { command: 'previous_pane', keys: ['shift+tab'], modes: ONES, says: 'the part before' },
  {
    command: 'open_group',
    keys: ['enter', 'i', 'right'],
    modes: GROUPS,
    says: 'the failures of the group',
    short: 'open',
  },
  {
    command: 'open',
    keys: ['enter', 'i', 'right'],
    modes: FAILURES,
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
    command: 'log_open',
    keys: ['enter', 'i', 'right'],
    modes: ['log'],
    says: 'the messages of the run',
    short: 'open',
  },
  {
    command: 'log_open',
    keys: ['enter', 'i', 'right'],
    modes: ['run'],
    says: 'all that happened to the message',
    short: 'open',
  },
  {
    command: 'log_filter',
    keys: ['/'],
    modes: LOGS,
    says: 'filter as you type: ids, queues, people, outcomes, notes',
    short: 'filter',
  },
  {
    command: 'search',
    keys: ['/'],
    modes: ONES,
    says: 'look for a text in the part that is shown',
    short: 'search',
  },
  {
    command: 'retry',
    keys: ['r'],
    modes: ['groups', 'failures', 'failure'],
    says: 'retry the selected, else this one (all of a group): asks first',
    short: 'retry',
  },
  {
    command: 'dismiss',
    keys: ['d'],
    modes: ['groups', 'failures', 'failure'],
    says: 'dismiss the selected, else this one (all of a group), kept 30 days: asks first',
    short: 'dismiss',
  },
  { command: 'select', keys: ['space'], modes: LISTS, says: 'select, or take back', short: 'select' },
  {
    command: 'open_all',
    keys: ['tab'],
    modes: GROUPS,
    says: 'all failures in one list, and back',
    short: 'one list',
  },
  { command: 'groups', keys: ['tab'], modes: FAILURES, says: 'the groups again, with this filter', short: 'groups' },
  {
    command: 'undo',
    keys: ['u'],
    modes: ['groups', 'failures', 'failure', 'dismissal'],
    says: 'undo your last dismissal: asks first',
    short: 'undo',
  },
  {
    command: 'edit',
    keys: ['e'],
    modes: ['groups', 'failures', 'failure'],
    says: 'edit the body of one in $VISUAL or $EDITOR, and retry it so: asks first',
    short: 'edit',
  },
  { command: 'next_match', keys: ['n'], modes: ONES, says: 'where that text stands next' },
  { command: 'previous_match', keys: ['N'], modes: ONES, says: 'where it stands before' },
  { command: 'fold', keys: ['enter', 'z'], modes: ONES, says: 'in a body: fold, or unfold' },
  { command: 'fold_all', keys: ['Z'], modes: ONES, says: 'in a body: unfold everything, or fold it' },
  { command: 'select_all', keys: ['a'], modes: LISTS, says: 'select all that match, or none', short: 'all' },
  {
    command: 'range',
    keys: ['v'],
    modes: LISTS,
    says: 'select a range: from here to where the cursor goes, until v or Space; Esc takes it back',
    short: 'range',
  },
  { command: 'range_up', keys: ['shift+up', 'K'], modes: LISTS, says: 'select upwards' },
  { command: 'range_down', keys: ['shift+down', 'J'], modes: LISTS, says: 'select downwards' },
  {
    command: 'restore',
    keys: ['b'],
    modes: ['archive_groups', 'archive', 'archived'],
    says: 'bring back the selected, else this one (all of a group): asks first',
    short: 'bring back',
  },
  {
    command: 'archive',
    keys: ['D'],
    modes: ['groups', 'failures'],
    says: 'what was dismissed, to bring it back (the filter state:dismissed)',
    short: 'dismissed',
  },
  {
    command: 'archive',
    keys: ['D'],
    modes: ['archive', 'archive_groups'],
    says: 'the failures again',
    short: 'failures',
  },
  { command: 'order', keys: ['o'], modes: LISTS, says: 'order by the next column', short: 'order' },
  { command: 'order_reversed', keys: ['O'], modes: LISTS, says: 'the same order the other way round' },
  {
    command: 'group_by',
    keys: ['c'],
    modes: GROUPS,
    says: 'group by something else: cause, reason, queue, subject, exception, source',
    short: 'group by',
  },
  { command: 'read', keys: ['R'], modes: [...LISTS, 'sources'], says: 'read the queues again', short: 'read' },
  {
    command: 'hold',
    keys: ['H'],
    modes: ['groups', 'failures'],
    says: 'hold what is shown: hidden from everyone else until you let go (H again), or leave',
  },
  {
    command: 'log',
    keys: ['l', 'L'],
    modes: [...LISTS, ...ONES, 'sources', ...RESULTS],
    says: 'what was done, run by run',
    short: 'log',
  },
  {
    command: 'sources',
    keys: ['!'],
    modes: [...LISTS, ...ONES, ...LOGS, 'entry'],
    says: 'the sources, with their counts and troubles in full',
    short: 'sources',
  },
  { command: 'next', keys: [']'], modes: ONES, says: 'the next failure', short: 'next' },
  { command: 'previous', keys: ['['], modes: ONES, says: 'the one before' },
  { command: 'up', keys: ['up', 'k'], modes: SCROLLED, says: 'up' },
  { command: 'down', keys: ['down', 'j'], modes: SCROLLED, says: 'down' },
  { command: 'up', keys: ['up'], modes: ['filtering', 'log_filtering', 'palette'], says: 'up in the list' },
  { command: 'down', keys: ['down'], modes: ['filtering', 'log_filtering', 'palette'], says: 'down in the list' },
  { command: 'page_up', keys: ['pgup', 'ctrl+b'], modes: SCROLLED, says: 'a page up' },
  { command: 'page_down', keys: ['pgdn', 'ctrl+f'], modes: SCROLLED, says: 'a page down' },
  { command: 'page_down', keys: ['space'], modes: [...ONES, ...PAGES], says: 'a page down' },
  { command: 'first', keys: ['g', 'home'], modes: SCROLLED, says: 'to the top' },
  { command: 'last', keys: ['G', 'end'], modes: SCROLLED, says: 'to the end' },
  { command: 'clear', keys: ['esc'], modes: GROUPS, says: 'take back the range, the filter, then the selection' },
  {
    command: 'clear',
    keys: ['esc'],
    modes: FAILURES,
    says: 'take back the range, the filter typed here, then go back',
  },
  { command: 'back_to_groups', keys: ['q', 'h', 'left'], modes: FAILURES, says: 'back to the groups', short: 'back' },
  { command: 'clear', keys: ['esc'], modes: LOGS, says: 'clear the filter, then back' },
  { command: 'erase', keys: ['backspace'], modes: TYPING, says: 'erase' },
  { command: 'erase_ahead', keys: ['delete', 'ctrl+d'], modes: TYPING, says: 'erase what follows' },
  { command: 'erase_word', keys: ['ctrl+w'], modes: TYPING, says: 'erase a word' },
  { command: 'erase_line', keys: ['ctrl+u'], modes: TYPING, says: 'erase the line' },
  { command: 'caret_left', keys: ['left'], modes: TYPING, says: 'left' },
  { command: 'caret_right', keys: ['right'], modes: TYPING, says: 'right' },
  { command: 'caret_start', keys: ['home', 'ctrl+a'], modes: TYPING, says: 'to the start' },
  { command: 'caret_end', keys: ['end', 'ctrl+e'], modes: TYPING, says: 'to the end' },
  { command: 'back', keys: ['q', 'h', 'left'], modes: ONES, says: 'back', short: 'back' },
  { command: 'leave_failure', keys: ['esc'], modes: ONES, says: 'stop looking for the text, then back' },
  {
    command: 'back',
    keys: ['q', 'esc', 'h', 'left'],
    modes: ['entry', 'sources', 'help', ...RESULTS],
    says: 'back',
    short: 'back',
  },
  { command: 'back', keys: ['q', 'h', 'left'], modes: LOGS, says: 'back', short: 'back' },
  { command: 'back', keys: ['enter'], modes: RESULTS, says: 'back' },
  {
    command: 'cancel',
    keys: ['q', 'esc', 'h', 'left'],
    modes: ['unsendable'],
    says: 'leave the message as it was',
    short: 'leave it',
  },
  { command: 'back', keys: ['?'], modes: ['help'], says: 'back' },
  {
    command: 'help',
    keys: ['?'],
    modes: [...LISTS, ...ONES, ...LOGS, 'entry', 'sources', ...CONFIRMING, ...IMPOSSIBLE, 'unsendable', ...RESULTS],
    says: 'this help',
    short: 'help',
  },
  {
    command: 'palette',
    keys: [':'],
    modes: [...LISTS, ...ONES, ...LOGS, 'entry', 'sources', ...RESULTS],
    says: 'choose a command by its name',
  },
  { command: 'quit', keys: ['q'], modes: [...GROUPS, 'too_small'], says: 'quit', short: 'quit' },
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
    modes: [...SCROLLED, ...TYPING, 'too_small'],
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
