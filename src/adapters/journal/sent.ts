import type { Run, SentMessage } from '../../model/ports.ts';
import type { Statements } from './statements.ts';

const SENT_BY = `
  SELECT e.source, e.native_id AS nativeId, e.identity, e.queue, e.target AS "to", e.new_id AS newId
  FROM entries e JOIN runs r ON r.number = e.run
  WHERE r.id = ? AND e.action = 'retry' AND e.state IN ('sent', 'done')
  ORDER BY e.entry`;

/** What a run has retried, as far as that is confirmed. */
export function sentBy(statements: Statements, run: Run): SentMessage[] {
  return statements.of<SentMessage>(SENT_BY).all(run.id);
}
