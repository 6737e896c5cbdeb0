import { csvLine } from '../../model/display/csv.ts';
import { escapeText } from '../../model/display/escape.ts';
import { BabelqError } from '../../model/errors.ts';
import type { Output } from '../global-options.ts';
import type { Terminal } from '../terminal.ts';
import { jsonPieces, toJson, toPrettyJson } from './json.ts';

/** What a command has to show, in every form at once; the reporter takes what it needs. */
export interface Report<Row> {
  /** The JSON document. */
  document: object;
  /** One a line in ndjson, csv and ids. */
  rows: readonly Row[];
  csv: readonly { name: string; value: (row: Row) => string | number | boolean | null }[];
  id: (row: Row) => string;
  /** The text format of Prometheus, where there is something to measure. */
  prometheus?: () => string;
  /** Prints it for a person. */
  show: (terminal: Terminal) => void;
}

type Reporter = <Row>(report: Report<Row>, terminal: Terminal) => void;

const REPORTERS: Readonly<Record<Output, Reporter>> = {
  table: (report, terminal) => report.show(terminal),
  json: (report, terminal) => {
    if (terminal.shown) terminal.write(toPrettyJson(report.document));
    else for (const piece of jsonPieces(report.document)) terminal.write(piece);
    terminal.write('\n');
  },
  ndjson: (report, terminal) => {
    for (const row of report.rows) terminal.write(`${toJson(row)}\n`);
  },
  csv: (report, terminal) => {
    terminal.write(csvLine(report.csv.map(({ name }) => name)));
    for (const row of report.rows) terminal.write(csvLine(report.csv.map(({ value }) => value(row))));
  },
  ids: (report, terminal) => {
    for (const row of report.rows) terminal.write(`${escapeText(report.id(row))}\n`);
  },
  prometheus: (report, terminal) => {
    if (report.prometheus === undefined) throw noSuchOutput('prometheus');
    terminal.write(report.prometheus());
  },
};

/** The command line refuses an output that a command hasn't, so this is never seen. */
export function noSuchOutput(output: Output): BabelqError {
  return new BabelqError('internal', `There is no --output ${output} here.`);
}

/** Prints a report in the form that was asked for. @throws BabelqError `internal` for one that it hasn't */
export function print<Row>(report: Report<Row>, output: Output, terminal: Terminal): void {
  REPORTERS[output](report, terminal);
}
