import type { Finding } from '../../model/doctor/check.ts';
import type { State as FailureState, GroupMember, WholeFailure } from '../../model/failure.ts';
import { LISTED_STATES } from '../../model/failure.ts';
import { parseLine } from '../../model/filter/line.ts';
import type { Filter } from '../../model/filter.ts';
import type { SourceReport } from '../../model/operations/survey.ts';
import type { LogEntry, ReadProgress, SourceFacts, SourceKind } from '../../model/ports.ts';
import type { Group } from '../work/grouping.ts';
import type { GroupOrder, Order, Sorting } from '../work/orders.ts';
import type { FailureScreen } from './failure-state.ts';
import type { Flow } from './flow-state.ts';
import type { HoldPart } from './holding.ts';
import type { TextLine } from './text-line.ts';

/** Everything the screens show, in one value. Changed by `update` alone. */
export interface State {
  readonly size: Size;
  /** Milliseconds since the epoch, as of the last tick: ages are told by it. */
  readonly now: number;
  readonly sources: readonly SourceState[];
  /** What the sources were asked for when they were last read. */
  readonly asked: Asked;
  readonly filter: FilterState;
  /** Which list lies under the screens. */
  readonly place: Place;
  readonly groups: GroupsState;
  readonly list: ListState;
  /** Ids. */
  readonly selection: ReadonlySet<string>;
  /** Set while a range is being selected. */
  readonly range: Range | null;
  readonly marks: Marks;
  /** What lies over the list, the last on top. */
  readonly screens: readonly Screen[];
  /** A sentence about the last key, until the next. */
  readonly notice: string | null;
  /** Set once the person leaves: the exit code. What is held is being let go. */
  readonly leaving: number | null;
  /** What is kept hidden from everyone else; null where nothing is to be. */
  readonly hold: readonly HoldPart[] | null;
  /** Whether every action must say why. */
  readonly requireNote: boolean;
  /** Counts the flows, so that what arrives late for an earlier one is dropped. */
  readonly flows: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Asked {
  /** The filter's line that was read for; empty where everything was. */
  readonly line: string;
  readonly states: ReadonlySet<FailureState>;
}

export interface SourceState {
  readonly name: string;
  readonly kind: SourceKind;
  readonly heldIn: string;
  /** Whether its messages can be hidden from others. */
  readonly holdable: boolean;
  /** `stopped`: the reading was cut short, for an action to have the messages. */
  readonly phase: 'waiting' | 'reading' | 'read' | 'failed' | 'stopped';
  /** The number of the reading under way, or the last; what arrives for an earlier one is dropped. */
  readonly reading: number;
  readonly progress: ReadProgress | null;
  /** What the last complete reading said, and what it brought. */
  readonly report: SourceReport | null;
  readonly failures: readonly WholeFailure[];
  readonly readAt: number | null;
  /** What they were read for. */
  readonly readFor: Asked | null;
  /** Why it couldn't be read the last time. */
  readonly error: string | null;
  readonly facts: SourceFacts | null;
  /** How many it held just after it was read. */
  readonly baseline: number | null;
  /** How many messages are hidden from others right now. */
  readonly held: number;
}

export interface FilterState {
  readonly line: string;
  readonly filter: Filter;
  readonly error: { readonly message: string; readonly hint: string | null } | null;
  /** Where the caret stands while it is being typed, in UTF-16 units; null where it isn't. */
  readonly caret: number | null;
}

/** The groups; the failures of one of them; or all failures. */
export type Place =
  | { readonly kind: 'groups' }
  | {
      readonly kind: 'failures';
      /** As it is now, or as it was last where all of it has left; null for all failures. */
      readonly group: Group | null;
      /** The filter's line when the list was opened: what was typed since goes before one goes back. */
      readonly line: string;
    };

/** Where a person is in a list. */
export interface Cursor {
  readonly cursor: number;
  readonly top: number;
}

/** What matches, by what it has in common. */
interface GroupsState extends Cursor {
  readonly rows: readonly Group[];
  /** Null for by cause. */
  readonly by: readonly GroupMember[] | null;
  readonly sort: Sorting<GroupOrder>;
  /** Milliseconds that the histograms go back. */
  readonly span: number;
}

/** A range that grows with the cursor. */
interface Range {
  /** The failure's id, or the group's name, that it begins with. */
  readonly from: string;
  /** What was selected before. */
  readonly before: ReadonlySet<string>;
}

/** What changed by the last reading of each source, by id. */
export interface Marks {
  /** Since when what is new is there, in milliseconds. */
  readonly fresh: ReadonlyMap<string, number>;
  /** What is no longer there; it is shown for some seconds. */
  readonly gone: ReadonlyMap<string, { readonly failure: WholeFailure; readonly at: number }>;
  /** What an action took since: that it leaves is no news. */
  readonly ours: ReadonlySet<string>;
}

/** The failures that match, in order, and where the person is in them. */
interface ListState extends Cursor {
  /** Those of the place. */
  readonly rows: readonly WholeFailure[];
  /** Those of all groups. */
  readonly all: readonly WholeFailure[];
  readonly sort: Sorting<Order>;
  /** The short form of every id that was read. */
  readonly labels: ReadonlyMap<string, string>;
  /** How many expire within six hours. */
  readonly soon: number;
  /** The number of the arrangement under way, and of the one that is shown. */
  readonly wanted: number;
  readonly shown: number;
  /** When that was, and how long it took, in milliseconds. */
  readonly arrangedAt: number | null;
  readonly took: number;
  /** Whether a key was pressed in a list: until then the cursor stays at the top while the sources come in. */
  readonly touched: boolean;
}

export type Screen =
  | FailureScreen
  | LogScreen
  | RunScreen
  | EntryScreen
  | SourcesScreen
  | HelpScreen
  | PaletteScreen
  | Flow;

export interface Scrolling {
  readonly top: number;
}

/** A screen of rows, one of which the cursor is on. */
interface Listed extends Scrolling {
  readonly cursor: number;
}

/** Rows that a filter is typed for. */
interface Filtered extends Listed {
  readonly query: string;
  readonly typing: TextLine | null;
}

/** The log, run by run. */
export interface LogScreen extends Filtered {
  readonly kind: 'log';
  readonly entries: readonly LogEntry[] | 'reading' | { readonly error: string };
}

/** One run of the log, message by message. */
export interface RunScreen extends Filtered {
  readonly kind: 'run';
  readonly run: string;
  readonly entries: readonly LogEntry[] | { readonly error: string };
}

/** One message of a run. */
export interface EntryScreen extends Scrolling {
  readonly kind: 'entry';
  readonly entry: LogEntry;
  /** All that was done to the message, under every id it had. */
  readonly story: readonly LogEntry[] | 'reading' | { readonly error: string };
}

/** The commands that work below it. */
export interface PaletteScreen extends Listed {
  readonly kind: 'palette';
  readonly line: TextLine;
}

export interface SourcesScreen extends Scrolling {
  readonly kind: 'sources';
  /** What `babelq doctor` finds. */
  readonly findings: readonly Finding[] | 'asking' | { readonly error: string };
}

interface HelpScreen extends Scrolling {
  readonly kind: 'help';
}

export const SMALLEST: Size = { columns: 60, rows: 15 };

export function initialState(
  sources: readonly { name: string; kind: SourceKind; heldIn: string; hold?: unknown }[],
  size: Size,
  now: number,
  requireNote = false,
): State {
  const { filter } = parseLine('', LISTED_STATES);
  return {
    size,
    now,
    sources: sources.map(({ name, kind, heldIn, hold }) => ({
      name,
      kind,
      heldIn,
      holdable: hold !== undefined,
      phase: 'waiting',
      reading: 0,
      progress: null,
      report: null,
      failures: [],
      readAt: null,
      readFor: null,
      error: null,
      facts: null,
      baseline: null,
      held: 0,
    })),
    asked: { line: '', states: filter.states },
    filter: { line: '', filter, error: null, caret: null },
    place: { kind: 'groups' },
    groups: { rows: [], by: null, sort: { order: 'worst', reversed: false }, span: 0, cursor: 0, top: 0 },
    list: {
      rows: [],
      all: [],
      labels: new Map(),
      sort: { order: 'urgency', reversed: false },
      soon: 0,
      wanted: 0,
      shown: 0,
      arrangedAt: null,
      took: 0,
      touched: false,
      cursor: 0,
      top: 0,
    },
    selection: new Set(),
    range: null,
    marks: { fresh: new Map(), gone: new Map(), ours: new Set() },
    screens: [],
    notice: null,
    leaving: null,
    hold: null,
    requireNote,
    flows: 0,
  };
}

/** Whether a failure's body is in memory; of very many or very large ones only some are kept. */
export function hasBody(failure: WholeFailure): boolean {
  return failure.body !== null || failure.body_base64 !== null || failure.size_bytes === 0;
}

export function topScreen(state: State): Screen | undefined {
  return state.screens.at(-1);
}

/** The top screen changed. */
export function withTop(state: State, screen: Screen): State {
  return { ...state, screens: [...state.screens.slice(0, -1), screen] };
}

/** What lies under the top screen. */
export function belowTop(state: State): State {
  return { ...state, screens: state.screens.slice(0, -1) };
}
