import type { AllInFlight } from '../ports.ts';
import { sayCount } from './counts.ts';

/** What a reading says that saw nothing because somebody else holds everything. */
export function sayAllInFlight({ count, retryInSeconds }: AllInFlight): string {
  return `0 seen, ${sayCount(count)} in flight, try again in ${retryInSeconds} s`;
}
