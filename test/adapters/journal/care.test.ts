import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteCare } from '../../../src/adapters/journal/care.ts';
import { openJournal } from '../../../src/adapters/journal/journal.ts';
import type { JournalCare } from '../../../src/model/journal-care.ts';
import type { Journal } from '../../../src/model/ports.ts';
import { journalCareContract } from '../../support/journal-care-contract.ts';
import { anIntent, aStart, PLACE } from '../../support/journal-samples.ts';
import { wallClock } from '../../support/wall-clock.ts';

journalCareContract('the journal in a file', 'sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-journal-'));
  const path = join(folder, 'state', 'journal.db');
  const opened: Journal[] = [];
  return {
    open: (clock) => {
      const journal = openJournal({ path, clock, create: true });
      opened.push(journal);
      return journal;
    },
    care: (clock) => sqliteCare(path, clock, {}),
    dispose: async () => {
      for (const journal of opened) await journal.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('a copy', () => {
  let folder: string;
  let path: string;
  let journal: Journal;
  let care: JournalCare;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'babelq-journal-'));
    path = join(folder, 'journal.db');
    journal = openJournal({ path, clock: wallClock, create: true });
    care = sqliteCare(path, wallClock, {});
  });
  afterEach(async () => {
    await care.close();
    await journal.close();
    rmSync(folder, { recursive: true });
  });
  const to = (name = 'copy.db') => join(folder, name);

  // A busy disk may let nobody write meanwhile.
  test('is of one moment and whole, though others write all the while', { retry: 2 }, async () => {
    const run = await journal.begin(aStart('dismiss'));
    const body = 'x'.repeat(20_000);
    const dismiss = async (n: number) => {
      // Two facts that belong together: a copy that has one has both.
      const message = { messageId: `m${n}`, body, attributes: {}, systemAttributes: {} };
      await journal.intend(run, [anIntent(`m${n}`, { message }), anIntent(`twin of m${n}`, { message })]);
    };
    for (let n = 0; n < 1000; n += 1) await dismiss(n);
    let written = 1000;
    let copied = false;
    const writing = (async () => {
      while (!copied) await dismiss(written++);
    })();
    const before = process.umask(0);
    const report = await care.backup(to(), false).finally(() => {
      copied = true;
      process.umask(before);
    });
    await writing;
    expect(written, 'somebody wrote meanwhile').toBeGreaterThan(1001);
    expect(report).toMatchObject({ file: to(), runs: 1, entries: report.messages });
    expect([statSync(to()).mode & 0o777, statSync(to()).size]).toEqual([0o600, report.size_bytes]);
    expect(readdirSync(folder).filter((file) => file.includes('copy'))).toEqual(['copy.db']);
    const copy = openJournal({ path: to(), clock: wallClock, create: false });
    const { messages } = await copy.archived(PLACE, { limit: 1_000_000 });
    await copy.close();
    expect(messages).toHaveLength(report.messages);
    expect(messages.length % 2).toBe(0);
    expect(messages.length).toBeGreaterThanOrEqual(2000);
  });

  test('takes no other file’s place unasked, and never that of the journal or of what a link leads to', async () => {
    await journal.begin(aStart('retry'));
    writeFileSync(to(), 'mine');
    const refusal = { code: 'refused', hint: expect.any(String) };
    await expect(care.backup(to(), false)).rejects.toMatchObject(refusal);
    expect(readFileSync(to(), 'utf8')).toBe('mine');
    for (const replace of [false, true]) await expect(care.backup(path, replace)).rejects.toMatchObject(refusal);
    symlinkSync(to(), to('link.db'));
    await expect(care.backup(to('link.db'), false)).rejects.toMatchObject(refusal);
    await care.backup(to('link.db'), true);
    expect(readFileSync(to(), 'utf8')).toBe('mine');
    await care.backup(to(), true);
    expect(readFileSync(to()).subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(readdirSync(folder).filter((file) => file.endsWith('.part'))).toEqual([]);
  });

  test('of nothing, or to nowhere, is said and leaves nothing', async () => {
    const none = sqliteCare(to('none.db'), wallClock, {});
    await expect(none.backup(to(), false)).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('no journal'),
    });
    expect(existsSync(to())).toBe(false);
    await journal.begin(aStart('retry'));
    await expect(care.backup(to('no/copy.db'), false)).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('not there'),
    });
    mkdirSync(to('folder'));
    await expect(care.backup(to('folder'), true)).rejects.toMatchObject({
      message: expect.stringContaining('it is a folder'),
    });
  });
});
