import { withoutDlqSuffix } from '../target.ts';
import type { DiscoveredQueue } from './found.ts';

const LONGEST = 80;

/**
 * Gives each a name that is short and its own: the queue's without `-dlq`; where two would be the same, without `-dlq` but with `.fifo`,
 * with the region or profile in which they differ, or at last with a number.
 * @param taken names that something else has already
 */
export function nameAll(
  found: readonly Omit<DiscoveredQueue, 'name'>[],
  taken: readonly string[] = [],
): DiscoveredQueue[] {
  const used = new Set(taken);
  const ways: ((one: Omit<DiscoveredQueue, 'name'>) => string)[] = [short, whole, withRegion, withProfile, withBoth];
  const names = new Map<Omit<DiscoveredQueue, 'name'>, string>();
  let left = [...found];
  for (const way of ways) {
    const counts = new Map<string, number>();
    for (const one of left) counts.set(way(one), (counts.get(way(one)) ?? 0) + 1);
    const [settled, rest] = split(left, (one) => counts.get(way(one)) === 1 && !used.has(way(one)));
    for (const one of settled) {
      names.set(one, way(one));
      used.add(way(one));
    }
    left = rest;
  }
  for (const one of left) {
    let name = short(one);
    for (let number = 2; used.has(name); number += 1) name = numbered(short(one), number);
    names.set(one, name);
    used.add(name);
  }
  return found.map((one) => ({ ...one, name: names.get(one) ?? short(one) }));
}

function split<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

type Unnamed = Omit<DiscoveredQueue, 'name'>;

function short({ queue }: Unnamed): string {
  return nameOf((withoutDlqSuffix(queue.name) ?? queue.name).replace(/\.fifo$/, ''));
}

function whole({ queue }: Unnamed): string {
  return nameOf(withoutDlqSuffix(queue.name) ?? queue.name);
}

function withRegion(one: Unnamed): string {
  return nameOf([whole(one), one.place.reach.region ?? ''].join('-'));
}

function withProfile(one: Unnamed): string {
  return nameOf([whole(one), one.place.reach.profile ?? ''].join('-'));
}

function withBoth(one: Unnamed): string {
  return nameOf([whole(one), one.place.reach.region ?? '', one.place.reach.profile ?? ''].join('-'));
}

function numbered(name: string, number: number): string {
  const end = `-${number}`;
  return `${name.slice(0, LONGEST - end.length)}${end}`;
}

/** As a source may be named: it begins with a letter or a digit, and what is odd in a profile's name is left out. */
function nameOf(text: string): string {
  const name = text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[._-]+|[._-]+$/g, '');
  return name === '' ? 'queue' : name.slice(0, LONGEST);
}
