import { BabelqError } from '../model/errors.ts';

/**
 * The error for options that say different things: `--plan and --to, --bypass can't go together.`
 * @param others at least one
 * @param why after a colon, where the options don't say it themselves
 */
export function notTogether(one: string, others: readonly string[], hint: string, why?: string): BabelqError {
  const both = `${one} and ${others.join(', ')}`;
  const sentence = `${both.charAt(0).toUpperCase()}${both.slice(1)} can't go together${why === undefined ? '' : `: ${why}`}.`;
  return new BabelqError('usage', sentence, { hint });
}

/** The names of the options that were given. */
export function givenOf(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => (value === undefined || value === false ? [] : [name]));
}
