import { expect, test } from 'vitest';
import type { JadpoDiagnosis, JournalDiagnosis } from '../../../src/model/doctor/diagnosis.ts';
import { jadpoVerdicts } from '../../../src/model/doctor/jadpo-verdicts.ts';
import { journalVerdicts } from '../../../src/model/doctor/journal-verdicts.ts';
import { grant } from '../../../src/model/doctor/mend.ts';
import { nodeVerdict } from '../../../src/model/doctor/node-version.ts';

const NOW = Date.parse('2026-11-30T14:00:00.000Z');
const TABLE: JadpoDiagnosis = {
  kind: 'jadpo',
  table: 'jadpo_parked_messages',
  trouble: null,
  unmapped: ['error'],
  unused: [],
  statusTime: true,
  readOnly: false,
  pending: 0,
  pendingSince: null,
  notes: [],
};
const JOURNAL: JournalDiagnosis = {
  location: '/srv/babelq/journal.db',
  exists: true,
  trouble: null,
  network: null,
  temporary: false,
  mode: 0o600,
  folderMode: 0o700,
};
const found = (verdicts: ReturnType<typeof jadpoVerdicts>) =>
  verdicts.filter(({ state }) => state === 'finding').map(({ check }) => check);

test('a Node that is too old is named with what is needed', () => {
  expect(nodeVerdict('22.14.0').state).toBe('ok');
  expect(nodeVerdict('24.0.0').state).toBe('ok');
  expect(nodeVerdict('22.13.9')).toMatchObject({ state: 'finding', message: expect.stringContaining('22.14') });
});

test('many pending rows take many ticks: only what is longer than that is a finding', () => {
  const since = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
  // 500 rows take 25 ticks of ten seconds.
  expect(found(jadpoVerdicts({ ...TABLE, pending: 500, pendingSince: since(5) }, NOW))).toEqual([]);
  expect(found(jadpoVerdicts({ ...TABLE, pending: 500, pendingSince: since(6) }, NOW))).toEqual(['tick']);
  expect(jadpoVerdicts({ ...TABLE, pending: 1 }, NOW).find(({ check }) => check === 'tick')?.state).toBe('unknown');
});

test('a database that can only be read, and a journal on a network, are said', () => {
  expect(found(jadpoVerdicts({ ...TABLE, readOnly: true }, NOW))).toEqual(['writable']);
  // The database may be of either kind, and each has its own way of giving a right.
  expect(jadpoVerdicts({ ...TABLE, readOnly: true }, NOW)).toContainEqual(
    expect.objectContaining({ check: 'writable', mend: expect.stringMatching(/PostgreSQL UPDATE.*SQLite.*folder/) }),
  );
  expect(found(jadpoVerdicts(TABLE, NOW))).toEqual([]);
  expect(found(journalVerdicts({ ...JOURNAL, network: 'NFS' }, []))).toEqual(['file_system']);
  expect(found(journalVerdicts({ ...JOURNAL, folderMode: 0o770 }, []))).toEqual(['folder_mode']);
  expect(found(journalVerdicts({ ...JOURNAL, folderMode: 0o1777 }, []))).toEqual([]);
  expect(found(journalVerdicts(JOURNAL, []))).toEqual([]);
});

test('a permission is granted to the role behind a session, and on a key that is known by an alias by its alias', () => {
  const reach = { region: 'eu-central-1', profile: 'ops team', endpoint: null };
  const { command } = grant(reach, 'kms:Decrypt', 'alias/orders', 'arn:aws:sts::123456789012:assumed-role/ops/ana');
  expect(command).toMatch(/^aws iam put-role-policy --role-name ops .* --profile 'ops team'$/);
  expect(command).toContain('"kms:ResourceAliases":"alias/orders"');
  expect(command).not.toContain('eu-central-1');
  // Somebody else's text names nobody.
  expect(grant(reach, 'sqs:DeleteMessage', 'arn', 'arn:aws:iam::1:user/$(reboot)').command).toBeUndefined();
});
