/**
 * The screens with a fault in them, which a key (R) brings out: in a view, in what answers an event, or out of nowhere.
 * Holds messages meanwhile. Bundled and run in a terminal by its test.
 */
import type { WholeFailure } from '../../src/model/failure.ts';
import type { ReadRequest, ReadResult, SourceFacts } from '../../src/model/ports.ts';
import { runTui } from '../../src/tui/start.ts';
import { aFailure } from './failure.ts';
import { MemoryJournal, MemorySource } from './memory.ts';
import { wallClock } from './wall-clock.ts';

const where = process.argv[2];

class FaultySource extends MemorySource {
  override async read(request: ReadRequest, visit: (failure: WholeFailure) => 'more' | 'enough'): Promise<ReadResult> {
    if (this.reads === 1 && where === 'view') {
      this.failures = this.failures.map((failure) => ({ ...failure, subject: 5 as never }));
    }
    if (this.reads === 1 && where === 'nowhere') {
      setTimeout(() => {
        throw new Error('a fault out of nowhere');
      });
    }
    return super.read(request, visit);
  }

  override async facts(): Promise<SourceFacts> {
    const facts = await super.facts();
    if (this.reads < 2 || where !== 'event') return facts;
    return Object.defineProperty(facts, 'visible', {
      get: () => {
        throw new TypeError('a fault in what answers an event');
      },
    });
  }
}

const journal = new MemoryJournal();
const failures = [1, 2, 3].map((number) => aFailure({ id: `orders/0000000${number}`, source: 'orders' }));
const source = new FaultySource('orders', failures, journal);

runTui(
  {
    sources: [source],
    journal: journal.asJournal(),
    clock: wallClock,
    operator: 'ann@ops',
    redact: [],
    requireNote: false,
  },
  {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    color: false,
    allowReceive: false,
    limit: 'all',
    openEditor: () => {
      throw new Error('no editor here');
    },
    hold: true,
    signal: new AbortController().signal,
    exitNow: (code) => process.exit(code),
  },
).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`ended by: ${error instanceof Error ? error.name : 'nothing'}, ${source.kept} held\n`);
    process.exit(70);
  },
);
