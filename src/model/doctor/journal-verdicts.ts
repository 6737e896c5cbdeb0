import { messages } from '../display/counts.ts';
import { shellWord } from '../display/shell-word.ts';
import type { LogEntry } from '../ports.ts';
import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { JournalDiagnosis } from './diagnosis.ts';
import { ofTrouble } from './trouble.ts';

const ELSEWHERE = 'Put it on a local disk that stays: journal: in babelq.yaml, $BABELQ_JOURNAL, or --journal FILE.';

/**
 * Everything there is to say of the journal.
 * @param unfinished what never came to a known end; null where that couldn't be asked
 */
export function journalVerdicts(diagnosis: JournalDiagnosis, unfinished: readonly LogEntry[] | null): Verdict[] {
  const { trouble, exists, location } = diagnosis;
  if (trouble !== null) return [ofTrouble(trouble), ...place(diagnosis)];
  return [
    ok('journal', exists ? `${location} can be written` : `${location} will be made when it is needed`),
    ...place(diagnosis),
    ...modes(diagnosis),
    leftovers(unfinished),
  ];
}

function place({ location, network, temporary }: JournalDiagnosis): Verdict[] {
  const verdicts: Verdict[] = [];
  if (network !== null) {
    verdicts.push(
      wrong(
        'file_system',
        'warning',
        `The journal ${location} lies on a network file system (${network}), where SQLite's locks and its write-ahead log can't be relied on: two machines that use it can damage it.`,
        ELSEWHERE,
      ),
    );
  }
  if (temporary) {
    verdicts.push(
      wrong(
        'temporary',
        'warning',
        `The journal ${location} lies in a temporary folder: what the system deletes there takes every dismissed message along.`,
        ELSEWHERE,
      ),
    );
  }
  return verdicts.length > 0 ? verdicts : [ok('file_system', 'is local, and stays')];
}

function modes({ location, mode, folderMode }: JournalDiagnosis): Verdict[] {
  if (mode === null && folderMode === null) return [];
  const verdicts: Verdict[] = [];
  const folder = location.slice(0, location.lastIndexOf('/')) || '/';
  if (mode !== null && (mode & 0o077) !== 0) {
    verdicts.push(
      wrong(
        'mode',
        'error',
        `Others may read or write the journal ${location} (mode ${octal(mode)}), which holds messages' bodies.`,
        'Let only yourself read it. babelq does that itself as soon as it opens it.',
        { command: `chmod 600 ${shellWord(location)}` },
      ),
    );
  }
  if (folderMode !== null && (folderMode & 0o022) !== 0 && (folderMode & 0o1000) === 0) {
    verdicts.push(
      wrong(
        'folder_mode',
        'error',
        `Others may write to the journal's folder ${folder} (mode ${octal(folderMode)}), and so put another file in its place.`,
        'Let only yourself write there.',
        { command: `chmod go-w ${shellWord(folder)}` },
      ),
    );
  }
  return verdicts.length > 0 ? verdicts : [ok('mode', 'only you can read it')];
}

const RETRIED =
  'See which, and retry those that are still listed: a message that was surely sent is then only deleted. With those that are not listed any more nothing is left to do.';
const ANY =
  'See which, and what was wanted with each. Do it again with those that are still listed as they were: what was done already is then only finished. With the others nothing is left to do.';

/** What was begun and never came to a known end; null where that couldn't be asked. */
export function leftovers(unfinished: readonly LogEntry[] | null): Verdict {
  if (unfinished === null) return unknown('unfinished', 'what the journal holds could not be read');
  const left = unfinished.filter(({ outcome }) => outcome !== 'under_way');
  const [newest] = left;
  if (newest === undefined) return ok('unfinished', 'everything that was begun has a known end');
  const runs = new Set(left.map(({ run }) => run)).size;
  return wrong(
    'unfinished',
    'warning',
    `${messages(left.length)} of ${runs === 1 ? `the run ${newest.run}` : `${runs} runs`} never came to a known end: what was wanted may have been done with ${left.length === 1 ? 'it' : 'them'}, or not.`,
    left.every(({ action }) => action === 'retry') ? RETRIED : ANY,
    { command: 'babelq log --unfinished' },
  );
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
