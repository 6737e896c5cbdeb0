import { describe, expect, it } from 'vitest';
import { Ending } from '../../../src/adapters/sqs/ending.ts';

/** After how many empty polls in a row an ending is reached. */
function emptyPolls(ending: Ending): number {
  for (let polls = 1; polls < 20; polls += 1) {
    ending.polled(0);
    if (ending.reached) return polls;
  }
  return Number.POSITIVE_INFINITY;
}

describe('a queue is at its end', () => {
  it('never after one empty answer, and later where its count promised more than came', () => {
    expect(emptyPolls(new Ending(0))).toBe(2);
    const short = new Ending(10);
    short.polled(9);
    expect([emptyPolls(short), short.missing, short.sawAll]).toEqual([4, 1, false]);
    const all = new Ending(10);
    all.polled(10);
    expect([emptyPolls(all), all.missing, all.sawAll]).toEqual([2, 0, true]);
  });

  it('not while something still comes, or has become visible since', () => {
    const ending = new Ending(0);
    ending.polled(0);
    ending.polled(1);
    ending.polled(0);
    expect(ending.reached).toBe(false);
    ending.polled(0);
    ending.again();
    expect([ending.reached, emptyPolls(ending)]).toEqual([false, 2]);
  });

  it('as far as the polls under way can tell: no more are begun where they can', () => {
    const ending = new Ending(0);
    // None was empty yet: however many are out, they may all bring something.
    expect(ending.isDecidedBy(8)).toBe(false);
    ending.polled(0);
    expect([ending.isDecidedBy(0), ending.isDecidedBy(1)]).toEqual([false, true]);
  });
});
