import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { BEHAVIOURS, type BehaviourServer } from '../support/behaviours.ts';
import { DIFFERENT_BEHAVIOURS } from '../support/emulator-faults.ts';
import { WireServer } from '../support/wire-server.ts';
import { sqsServersHere } from './here.ts';
import { JOURNEYS } from './journeys/all.ts';
import { Place } from './journeys/place.ts';
import { noteTried, triedIn } from './results.ts';
import { serversDocument } from './table.ts';

let made = 0;

describe.concurrent.each(sqsServersHere())(
  '$name behaves as SQS does, but where it is known not to',
  ({ name, endpoint, account }) => {
    let server: WireServer;
    let checked: BehaviourServer;

    beforeAll(async () => {
      server = await WireServer.at(name, endpoint, account);
      checked = {
        client: server.client,
        create: (queue, attributes, deadLetter) => server.createQueue(queue, attributes, deadLetter),
        wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      };
    });
    afterAll(() => server.client.close());

    // Five servers at once keep two cores busy for a while, and some of them then lose a second.
    it.each(BEHAVIOURS.filter(({ long }) => !long))('$name', { retry: 5 }, async (behaviour) => {
      made += 1;
      const stem = `behaviour-${made}`;
      const checking = behaviour.check(checked, (suffix = '') => `${stem}${suffix}`);
      const differs = behaviour.name in DIFFERENT_BEHAVIOURS[name];
      // One that was mended is to be taken off the list.
      if (differs) await expect(checking).rejects.toThrow();
      else await checking;
      noteTried(inject('results'), {
        part: name,
        kind: 'behaviour',
        name: behaviour.name,
        outcome: differs ? 'different' : 'alike',
      });
    });
  },
);

it('what is known to differ is something that is checked', () => {
  const names = BEHAVIOURS.map((behaviour) => behaviour.name);
  for (const differences of Object.values(DIFFERENT_BEHAVIOURS)) {
    expect(names).toEqual(expect.arrayContaining(Object.keys(differences)));
  }
});

describe.concurrent.each(sqsServersHere())('on $name', ({ name, endpoint, account }) => {
  let server: WireServer;
  beforeAll(async () => {
    server = await WireServer.at(name, endpoint, account);
  });
  afterAll(() => server.client.close());

  const possible = JOURNEYS.filter(({ notOn }) => notOn?.[name] === undefined);
  // One at a time on each: many babelqs at once only wait for each other.
  // And moto gives out a FIFO group twice now and then, so that its order is lost.
  it.each(possible)('$name', { concurrent: false, retry: 2 }, async (journey) => {
    made += 1;
    const place = await Place.open(server, `journey-${made}`);
    try {
      await journey.run(place);
    } finally {
      place.close();
    }
    noteTried(inject('results'), { part: name, kind: 'journey', name: journey.name, outcome: 'alike' });
  });
});

it('docs/servers.md says what this run saw', async () => {
  const document = serversDocument(inject('parts'), triedIn(inject('results')), JOURNEYS);
  await expect(document).toMatchFileSnapshot('../../docs/servers.md');
});
