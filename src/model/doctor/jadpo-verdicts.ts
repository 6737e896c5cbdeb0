import { ago } from '../display/age.ts';
import { counted, sayCount } from '../display/counts.ts';
import { A_TICK, TICK_SECONDS, ticksFor } from '../display/tick.ts';
import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { JadpoDiagnosis } from './diagnosis.ts';
import { ofTrouble } from './trouble.ts';

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
  if (Number.isNaN(since)) return unknown('tick', `${sayCount(pending)} pending, and since when is not told`);
  const patience = ticksFor(pending).seconds * 1000 + GRACE_MS;
  if (now - since <= patience)
    return ok('tick', `${sayCount(pending)} pending, the oldest since ${ago(pendingSince, now)}`);
  return wrong(
    'tick',
    'error',
    `${counted(pending, 'row')} of ${table} ${pending === 1 ? 'is' : 'are'} pending, the oldest since ${ago(pendingSince, now)}, and no tick takes ${pending === 1 ? 'it' : 'them'}: the app may not be running.`,
    `Start the app, or see why it doesn't tick: it should take ${A_TICK} every ${TICK_SECONDS}s.`,
  );
}
