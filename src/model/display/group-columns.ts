import type { GroupMember } from '../failure.ts';
import type { Column } from './table.ts';

/** How each member of a group's key is shown in a table. */
export const GROUP_COLUMNS: Readonly<Record<GroupMember, Column>> = {
  fingerprint: { title: 'FINGERPRINT' },
  reason: { title: 'REASON', least: 8 },
  queue: { title: 'QUEUE', least: 8 },
  subject: { title: 'SUBJECT', least: 14, cut: 'start' },
  exception: { title: 'EXCEPTION', least: 12, cut: 'start' },
  origin: { title: 'ORIGIN' },
  source: { title: 'SOURCE', least: 8 },
};
