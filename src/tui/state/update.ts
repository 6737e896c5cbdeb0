import { EXIT } from '../../model/errors.ts';
import type { Command } from '../keys.ts';
import { foretold, startOption, toggleBypass } from './confirming.ts';
import { editAgain, edited } from './editing.ts';
import type { Effect, Event } from './events.ts';
import { fold, foldAll, leaveFailure, nextMatch, nextPane, openFailure, startSearch, stepFailure } from './failing.ts';
import type { FailureScreen } from './failure-state.ts';
import { isEdit, startFilter } from './filtering.ts';
import {
  acted,
  answer,
  cancel,
  failFlow,
  flowProgress,
  planned,
  startEdit,
  startFlow,
  startUndo,
  unbound,
  undoFound,
} from './flow.ts';
import { heldNow, holdFromStart, resumeHold, toggleHold } from './holding.ts';
import { arranged, changeOrder, readAgain, readDone, readEverything, refresh } from './listing.ts';
import { clearLogged, logged, openLog, openLogged, startLogFilter } from './logging.ts';
import { isTyping, modeOf } from './mode.ts';
import { openPalette } from './palette.ts';
import { groupByNext, leavePlace, openAll, openGroup, stepBack, toggleArchive } from './places.ts';
import { isScroll, moveTo, scroll } from './scroll.ts';
import { cursorOf, extendRange, select, selectAll, startRange } from './selection.ts';
import { counted, readProgress, readStopped } from './sources.ts';
import { belowTop, type Screen, type State } from './state.ts';
import { type Step, still } from './step.ts';
import { ticked } from './ticking.ts';
import { editTyped, typed } from './typing.ts';

/** What the screens do with whatever happens: the state after it, and the work it asks for. Pure. */
export function update(state: State, event: Event): Step {
  return resumeHold(happened(state, event));
}

function happened(state: State, event: Event): Step {
  switch (event.type) {
    case 'started':
      return readEverything(event.hold === true ? holdFromStart(state) : state);
    case 'command':
      return commanded(state, event.command, event.at);
    case 'unbound':
      return still(unbound(state, event.at));
    case 'typed':
      return typed(state, event.text);
    case 'pasted':
      if (isTyping(modeOf(state))) return typed(state, event.text.replace(/\s+/g, ' '));
      return still({ ...state, notice: 'Pasted text is not taken as keys.' });
    case 'resized': {
      const resized = { ...state, size: event.size };
      return still(moveTo(resized, cursorOf(resized)));
    }
    case 'ticked':
      return ticked(state, event);
    case 'read_progress':
      return still(readProgress(state, event));
    case 'read':
      return readDone(state, event);
    case 'refreshing':
      return refresh(state);
    case 'read_stopped':
      return still(readStopped(state, event));
    case 'counted':
      return still(counted(state, event.facts));
    case 'arranged':
      return still(arranged(state, event));
    case 'inspected':
      return still(onFailure(state, event.id, { failure: event.failure, body: 'there' }));
    case 'inspect_failed':
      return still(onFailure(state, event.id, { body: { error: event.error } }));
    case 'history':
      return still(onFailure(state, event.id, { history: event.history }));
    case 'examined':
      return still(
        mapScreens(state, (screen) => (screen.kind === 'sources' ? { ...screen, findings: event.findings } : screen)),
      );
    case 'logged':
    case 'run_logged':
    case 'story':
      return still(logged(state, event));
    case 'held':
      return still(heldNow(state, event));
    case 'noticed':
      return still({ ...state, notice: event.notice });
    case 'undo_found':
      return undoFound(state, event);
    case 'plan_progress':
    case 'act_progress':
    case 'watch_progress':
      return still(flowProgress(state, event));
    case 'planned':
      return planned(state, event);
    case 'edited':
      return edited(state, event);
    case 'foretold':
      return still(foretold(state, event));
    case 'acted':
      return acted(state, event);
    case 'flow_failed':
      return failFlow(state, event);
  }
}

const OPTIONS = {
  set_target: 'target',
  set_rate: 'rate',
  set_max: 'max',
  set_canary: 'canary',
  set_wait: 'wait',
  set_note: 'note',
} as const;

function commanded(before: State, command: Command, at = Number.POSITIVE_INFINITY): Step {
  const state = before.notice === null ? before : { ...before, notice: null };
  if (isScroll(command)) return still(scroll(touched(state), command));
  if (isEdit(command)) return editTyped(state, command, commanded);
  switch (command) {
    case 'open':
      return openFailure(touched(state), state.list.rows[state.list.cursor]);
    case 'open_group':
      return still(openGroup(touched(state)));
    case 'open_all':
      return still(openAll(touched(state)));
    case 'groups':
      return leavePlace(state, 'keep');
    case 'back_to_groups':
      return leavePlace(state, 'restore');
    case 'group_by':
      return groupByNext(state);
    case 'next':
      return stepFailure(touched(state), 1);
    case 'previous':
      return stepFailure(touched(state), -1);
    case 'next_pane':
    case 'previous_pane':
      return still(nextPane(state, command === 'next_pane' ? 1 : -1));
    case 'fold':
      return still(fold(state));
    case 'fold_all':
      return still(foldAll(state));
    case 'search':
      return still(startSearch(state));
    case 'next_match':
    case 'previous_match':
      return still(nextMatch(state, command === 'next_match' ? 1 : -1));
    case 'leave_failure':
      return still(leaveFailure(state));
    case 'back':
      return still(belowTop(state));
    case 'filter':
      return still(startFilter(state));
    case 'clear':
      return clearLogged(state) ?? stepBack(state);
    case 'select':
      return still(select(touched(state)));
    case 'select_all':
      return still(selectAll(state));
    case 'range':
      return still(startRange(touched(state)));
    case 'range_up':
    case 'range_down':
      return still(extendRange(touched(state), command === 'range_up' ? -1 : 1));
    case 'retry':
    case 'dismiss':
    case 'restore':
      return startFlow(state, command);
    case 'edit':
      return startEdit(state);
    case 'edit_again':
      return editAgain(state);
    case 'undo':
      return startUndo(state);
    case 'order':
      return changeOrder(state, 'next');
    case 'order_reversed':
      return changeOrder(state, 'reverse');
    case 'read':
      return readAgain(state);
    case 'hold':
      return toggleHold(state);
    case 'archive':
      return toggleArchive(state);
    case 'log':
      return openLog(state);
    case 'log_open':
      return openLogged(state);
    case 'log_filter':
      return still(startLogFilter(state));
    case 'palette':
      return still(openPalette(state));
    case 'sources':
      return {
        state: push(state, { kind: 'sources', top: 0, findings: 'asking' }),
        effects: [{ type: 'count', sources: 'all' }, { type: 'examine' }],
      };
    case 'help':
      return still(push(state, { kind: 'help', top: 0 }));
    case 'yes':
    case 'no':
      return answer(state, command === 'yes', at);
    case 'set_target':
    case 'set_rate':
    case 'set_max':
    case 'set_canary':
    case 'set_wait':
    case 'set_note':
      return still(startOption(state, OPTIONS[command]));
    case 'set_bypass':
      return toggleBypass(state);
    case 'cancel':
      return cancel(state);
    case 'quit':
      return leave(state, EXIT.done);
    case 'interrupt':
      return leave(state, EXIT.interrupted);
  }
}

/** The first time asks all work to end and waits for it; the second doesn't wait. */
function leave(state: State, code: number): Step {
  const atOnce = state.leaving !== null || modeOf(state) === 'stopping';
  const effect: Effect = { type: atOnce ? 'leave_now' : 'leave', code };
  return { state: { ...state, leaving: code }, effects: [effect] };
}

/** From here on the cursor stays with what it is on. */
function touched(state: State): State {
  return state.list.touched ? state : { ...state, list: { ...state.list, touched: true } };
}

function push(state: State, screen: Screen): State {
  // The same screen twice would need two ways back.
  const screens = state.screens.filter(({ kind }) => kind !== screen.kind);
  return { ...state, screens: [...screens, screen] };
}

function onFailure(state: State, id: string, change: Partial<FailureScreen>): State {
  return mapScreens(state, (screen) =>
    screen.kind === 'failure' && screen.failure.id === id ? { ...screen, ...change } : screen,
  );
}

function mapScreens(state: State, change: (screen: Screen) => Screen): State {
  return { ...state, screens: state.screens.map(change) };
}
