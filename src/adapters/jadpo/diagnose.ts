import type { JadpoDiagnosis } from '../../model/doctor/diagnosis.ts';
import type { ParkedMessages } from './parked.ts';
import { msFrom } from './times.ts';

/** Past so many pages of pending rows it isn't looked any further for the oldest. */
const MOST_PAGES = 20;

/** What an app keeps beside a body to know it again, which nobody has to read. */
const DIGEST = /sha|hash|digest|checksum/i;

/** What a table that could be read tells of itself. Nothing is written. */
export async function diagnoseTable(
  messages: ParkedMessages,
  signal: AbortSignal,
): Promise<Omit<JadpoDiagnosis, 'kind' | 'trouble'>> {
  const { definition, columns } = messages.table;
  const { key, ...rest } = columns;
  const used = new Set([...key, ...Object.values(rest).filter((name) => name !== null)]);
  const tally = await messages.tally('exact', signal);
  tally.check(messages.heldIn);
  const pending = tally.of('pending');
  return {
    table: messages.heldIn,
    unmapped: Object.entries(rest).flatMap(([meaning, name]) => (name === null ? [meaning] : [])),
    unused: definition.columns.map(({ name }) => name).filter((name) => !used.has(name) && !DIGEST.test(name)),
    statusTime: columns.status_at !== null,
    readOnly: messages.store.readOnly,
    pending,
    pendingSince: pending === 0 || columns.status_at === null ? null : await pendingSince(messages, signal),
    notes: [tally.note, await messages.keylessNote(signal)].filter((note) => note !== null),
  };
}

async function pendingSince(messages: ParkedMessages, signal: AbortSignal): Promise<string | null> {
  let oldest: number | null = null;
  let pages = 0;
  for await (const { parked } of messages.pages(new Set(['pending']), signal)) {
    for (const { row } of parked) {
      const ms = msFrom(row.statusAt);
      if (ms !== null && (oldest === null || ms < oldest)) oldest = ms;
    }
    pages += 1;
    if (pages >= MOST_PAGES) break;
  }
  return oldest === null ? null : new Date(oldest).toISOString();
}
