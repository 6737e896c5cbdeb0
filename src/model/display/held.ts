import type { Source } from '../ports.ts';
import { messages } from './counts.ts';
import { escapeText } from './escape.ts';

/**
 * `Left at once. Still hidden from everyone: at least 40 messages of orders for up to 25 s.`; null where nothing is held.
 * At least, since what a receive under way brings is hidden too, and nobody hears of it any more.
 */
export function sayHeld(sources: readonly Source[], now: number): string | null {
  const still = stillHidden(sources, now);
  return still === null ? null : `Left at once. ${still}`;
}

/** `Still hidden from everyone: at least 40 messages of orders for up to 25 s.`; null where nothing is held. */
export function stillHidden(sources: readonly Source[], now: number): string | null {
  const parts = sources.flatMap((source) => {
    const { count, until } = source.held();
    if (count === 0) return [];
    const seconds = until === null ? null : Math.max(1, Math.ceil((until - now) / 1000));
    return [
      `at least ${messages(count)} of ${escapeText(source.name)}${seconds === null ? '' : ` for up to ${seconds} s`}`,
    ];
  });
  return parts.length === 0 ? null : `Still hidden from everyone: ${parts.join(', ')}.`;
}
