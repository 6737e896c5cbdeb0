import { shellWord } from '../../model/display/shell-word.ts';
import type { Tally } from '../../model/display/tally.ts';
import type { Acted } from '../../model/operations/act.ts';
import type { Context } from '../context.ts';
import { sameJournal, sameSources } from '../same-options.ts';

/** Undoing up to so many is told with their ids, more with their run. */
const NAMED = 5;

/** What a person may want to do after an action. */
export function sayNext(
  { report }: Acted,
  tally: Tally,
  { terminal, global }: Pick<Context, 'terminal' | 'global'>,
): void {
  const { action, run, done, uncertain, skipped, failed } = report;
  if (run === null) return;
  const journal = sameJournal(global);
  const sources = sameSources(global);
  if (uncertain > 0) terminal.say(`What is uncertain: babelq log --unfinished${journal}`);
  if (skipped + failed > 0) terminal.say(`How each ended: babelq log --run ${run}${journal}`);
  if (action === 'restore' && done > 0) {
    const ids = tally.now.map(shellWord);
    if (done <= NAMED) terminal.say(`${ids.length === 1 ? 'It is' : 'They are'} there again: ${ids.join(', ')}`);
    else terminal.say(`Under which ids they are there again: babelq log --run ${run}${journal}`);
  }
  if (action === 'dismiss' && done > 0) {
    const undo =
      done <= NAMED
        ? `babelq restore ${tally.done.map(shellWord).join(' ')}${sources}`
        : `babelq log --run ${run} --limit all --output ids${journal} | babelq restore --stdin${sources}`;
    terminal.say(`To undo it: ${undo}`);
  }
}
