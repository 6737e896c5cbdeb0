import { escapeText } from '../../model/display/escape.ts';
import type { State } from '../state/state.ts';
import type { Group } from '../work/grouping.ts';
import { fitLine, type Line, span } from './line.ts';

/** Characters of a text that are looked at: more than any terminal is wide. */
const LONGEST = 1000;

/** Which list it is, over the failures of a group; else nothing. */
export function placeLines({ place, size }: State): Line[] {
  if (place.kind === 'groups' || place.group === null) return [];
  const { sample } = place.group;
  const shared = sharedOf(place.group);
  const said = sample === null ? '' : `  ${escapeText(sample.slice(0, LONGEST))}`;
  return [fitLine([span('Group', 'strong'), span(`  ${shared}`, 'accent'), span(said)], size.columns)];
}

/** What the failures of a group share, in the words of its columns; escaped. */
function sharedOf({ key }: Group): string {
  const { reason, subject } = key;
  const parts = key.fingerprint === undefined ? Object.values(key) : [reason, subject];
  return parts.map((part) => escapeText((part ?? '–').slice(-LONGEST))).join(' · ');
}
