import { ticksFor } from '../display/tick.ts';
import { sayDuration } from '../duration.ts';
import { BabelqError } from '../errors.ts';
import { doableItems, type Plan } from '../plan.ts';
import type { Source } from '../ports.ts';
import { leastReturn, sayLeastReturn } from './passage.ts';
import { suggestWait } from './suggest.ts';

export interface ForecastAsk {
  plan: Plan;
  sources: readonly Source[];
  waitMs: number;
  canary: number | null;
  to?: string;
  signal: AbortSignal;
}

/** What a watch will do, and where its time can't be enough. Sentences, not escaped. */
export interface Forecast {
  will: string[];
  warnings: string[];
}

/** Foretells a watch before anything is changed. */
export async function forecast({ plan, sources, waitMs, canary, to, signal }: ForecastAsk): Promise<Forecast> {
  const doable = doableItems(plan);
  const will: string[] = [];
  const warnings: string[] = [];
  const wait = sayDuration(waitMs);
  if (canary !== null && canary < doable.length) {
    const rest = doable.length - canary;
    will.push(
      canary === 1
        ? `One of them goes first; the other ${rest} only if it is known to stay away.`
        : `${canary} of them go first; the other ${rest} only if all of these are known to stay away.`,
    );
  }
  for (const source of sources) {
    const items = doable.filter((item) => item.source === source.name);
    if (items.length === 0) continue;
    if (source.kind === 'jadpo') {
      const least = ticksFor(Math.min(items.length, canary ?? items.length)).seconds * 1000;
      will.push(`Then ${source.name} is watched for up to ${wait}: does its app keep them?`);
      if (least > waitMs) {
        warnings.push(
          `That may be too short to tell: its app may take ${sayDuration(least)}. A wait of ${suggestWait(least)} would do.`,
        );
      }
      continue;
    }
    will.push(
      `Then ${source.heldIn} is watched for up to ${wait}: it is read again for that, which counts as a receive.`,
    );
    const names = [...new Set(items.flatMap((item) => (item.to === null ? [] : [item.to])))];
    const targets = await source.targets(names, { signal, ...(to !== undefined && { to }) }).catch(nothingKnown);
    for (const facts of targets) {
      if ('error' in facts || leastReturn(facts) <= waitMs) continue;
      const least = leastReturn(facts);
      warnings.push(
        `A wait of ${wait} is too short to tell who stays away: coming back from ${facts.name} takes at least ${sayDuration(least)} (${sayLeastReturn(facts)}). A wait of ${suggestWait(least)} would do.`,
      );
    }
  }
  return { will, warnings };
}

/** It only costs the forecast: the retry itself will say what is wrong. */
function nothingKnown(error: unknown): [] {
  if (error instanceof BabelqError) return [];
  throw error;
}
