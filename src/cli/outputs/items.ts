import type { ActionItem, ActionReport, RecordedAction } from '../../model/action.ts';
import { csvLine } from '../../model/display/csv.ts';
import { escapeText } from '../../model/display/escape.ts';
import type { Output } from '../global-options.ts';
import type { Terminal } from '../terminal.ts';
import { toJson } from './json.ts';
import { noSuchOutput } from './report.ts';

/** Prints an action's items as they come, so that a run of any length needs no memory; `end` prints what is known then. */
export interface ItemReporter {
  item(item: ActionItem): void;
  end(report: Omit<ActionReport, 'items'>): void;
}

/** @param show prints the result for a person: the table output keeps no items */
export function itemReporter(
  output: Output,
  action: RecordedAction,
  terminal: Terminal,
  show: (report: Omit<ActionReport, 'items'>) => void,
): ItemReporter {
  const nothing = () => {};
  switch (output) {
    case 'table':
      return { item: nothing, end: show };
    case 'json':
      return jsonItems(action, terminal);
    case 'ndjson':
      return { item: (item) => terminal.write(`${toJson(item)}\n`), end: nothing };
    case 'csv':
      terminal.write(csvLine(CSV));
      return { item: (item) => terminal.write(csvLine(CSV.map((name) => item[name]))), end: nothing };
    case 'ids':
      return {
        item: ({ id, outcome }) => {
          if (outcome === 'done' || outcome === 'planned') terminal.write(`${escapeText(id)}\n`);
        },
        end: nothing,
      };
    case 'prometheus':
      throw noSuchOutput(output);
  }
}

const CSV = [
  'id',
  'reason',
  'outcome',
  'to',
  'new_id',
  'returned',
  'possible_double',
  'detail',
] as const satisfies readonly (keyof ActionItem)[];

/** One document, written a piece at a time: the counts come last. */
function jsonItems(action: RecordedAction, terminal: Terminal): ItemReporter {
  let begun = false;
  return {
    item: (item) => {
      terminal.write(begun ? ',\n' : `{"action":${toJson(action)},"items":[\n`);
      begun = true;
      terminal.write(toJson(item));
    },
    end: ({ run, dry_run, plan, matched, done, skipped, failed, uncertain, sources }) => {
      if (!begun) terminal.write(`{"action":${toJson(action)},"items":[`);
      const counts = { matched, done, skipped, failed, uncertain };
      const rest = toJson({ run, dry_run, ...(plan && { plan }), ...counts, ...(sources && { sources }) });
      terminal.write(`${begun ? '\n' : ''}],${rest.slice(1)}\n`);
    },
  };
}
