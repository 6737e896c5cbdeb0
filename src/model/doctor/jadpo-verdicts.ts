import { ago } from '../display/age.ts';
import { grouped } from '../display/verbs.ts';
import { sayDuration } from '../duration.ts';
import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { JadpoDiagnosis } from './diagnosis.ts';
import { ofTrouble } from './trouble.ts';

/** An app that receives a queue ticks at least so often, and takes so many pending rows first. */
const TICK_MS = 10_000;
const A_TICK = 20;
/** What a busy tick may take on top. */
const GRACE_MS = 60_000;

/** Everything there is to say of a jadpo app's parked messages. */
export function jadpoVerdicts(diagnosis: JadpoDiagnosis, now: number): Verdict[] {
  const { trouble, table } = diagnosis;
  if (trouble !== null) return [ofTrouble(trouble)];
  return [
    ok('database', `has ${table}`),
    columns(diagnosis),
    statusTime(diagnosis),
    writable(diagnosis),
    ...rows(diagnosis),
    tick(diagnosis, now),
  ];
}

function columns({ unmapped, unused, table }: JadpoDiagnosis): Verdict {
  // The time of the status has a rule of its own, and jadpo's own table has no column for an error.
  const missing = unmapped.filter((meaning) => meaning !== 'status_at' && meaning !== 'error');
  if (missing.length === 0) return ok('columns', 'every column has a meaning');
  // A table that simply hasn't got them is as its app wants it.
  if (unused.length === 0) return ok('columns', `has no column for ${missing.join(', ')}, which shows as not known`);
  return wrong(
    'columns',
    'warning',
    `No column of ${table} was found for ${missing.join(', ')}, and ${unused.join(', ')} ${unused.length === 1 ? 'has' : 'have'} no meaning to babelq.`,
    `If one of them is meant, say so under this source in babelq.yaml: columns: { ${missing[0]}: ${unused[0]} }.`,
  );
}

function statusTime({ statusTime, table, unused }: JadpoDiagnosis): Verdict {
  if (statusTime) return ok('dismissed_at', 'has a column for the time of the status');
  return wrong(
    'dismissed_at',
    'warning',
    `${table} has no column for the time of the status, so nothing can be dismissed: its app deletes a dismissed message 30 days after that time, and an old one might go at once.`,
    `If there is such a column, name it under this source in babelq.yaml: columns: { status_at: ${unused[0] ?? '…'} }.`,
  );
}

function writable({ readOnly, table }: JadpoDiagnosis): Verdict {
  if (!readOnly) return ok('writable', 'can be written');
  return wrong(
    'writable',
    'warning',
    `${table} can only be read by this user: nothing there can be retried or dismissed.`,
    "Run babelq as the app's user, or have the right given to this one: in PostgreSQL UPDATE on the table, in SQLite to write the file and its folder.",
  );
}

function rows({ notes, table }: JadpoDiagnosis): Verdict[] {
  if (notes.length === 0) return [ok('rows', 'every row can be shown')];
  return notes.map((note) =>
    wrong(
      'rows',
      'warning',
      `${table}: ${note}.`,
      'Say what the words mean under this source in babelq.yaml (statuses:), or mend the rows in the app.',
    ),
  );
}

/** Rows that were made pending, and that no tick has taken: the app may not be running. */
function tick({ pending, pendingSince, table }: JadpoDiagnosis, now: number): Verdict {
  if (pending === 0) return ok('tick', 'nothing is pending');
  const since = Date.parse(pendingSince ?? '');
  if (Number.isNaN(since)) return unknown('tick', `${grouped(pending)} pending, and since when is not told`);
  const patience = Math.ceil(pending / A_TICK) * TICK_MS + GRACE_MS;
  if (now - since <= patience)
    return ok('tick', `${grouped(pending)} pending, the oldest since ${ago(pendingSince, now)}`);
  return wrong(
    'tick',
    'error',
    `${grouped(pending)} ${pending === 1 ? 'row' : 'rows'} of ${table} ${pending === 1 ? 'is' : 'are'} pending, the oldest since ${ago(pendingSince, now)}, and no tick takes ${pending === 1 ? 'it' : 'them'}: the app may not be running.`,
    `Start the app, or see why it doesn't tick: it should take ${A_TICK} every ${sayDuration(TICK_MS)}.`,
  );
}
