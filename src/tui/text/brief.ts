import { sayCount } from '../../model/display/counts.ts';
import type { WholeFailure } from '../../model/failure.ts';

/**
 * A failure without the rest of texts that nobody reads to their end, such as an error of a megabyte: to measure or wrap
 * it would take longer than a key may. The body stays as it is.
 * @param longest characters that are kept of each
 * @param keep which end of a subject is kept; of a URN the start says least
 */
export function brief(failure: WholeFailure, longest: number, keep: 'start' | 'end' = 'start'): WholeFailure {
  const { body: _body, body_base64: _bytes, attributes, system_attributes, problems, ...rest } = failure;
  const cut = (text: string) => (text.length <= longest ? text : `${text.slice(0, longest)}${more(text, longest)}`);
  if (isShort(failure, longest)) return failure;
  const texts = Object.entries(rest).filter(([, value]) => typeof value === 'string' && value.length > longest);
  const short = Object.fromEntries(texts.map(([name, value]) => [name, cut(String(value))]));
  if (keep === 'end' && failure.subject !== null) short.subject = failure.subject.slice(-longest);
  return {
    ...failure,
    ...short,
    problems: problems.slice(0, longest).map(({ field, rule }) => ({ field: cut(field), rule: cut(rule) })),
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, { type, value }]) => [name, { type: cut(type), value: cut(value) }]),
    ),
    system_attributes: Object.fromEntries(Object.entries(system_attributes).map(([name, value]) => [name, cut(value)])),
  };
}

function more(text: string, longest: number): string {
  return `… and ${sayCount(text.length - longest)} more characters`;
}

function isShort(failure: WholeFailure, longest: number): boolean {
  const { body: _body, body_base64: _bytes, attributes, system_attributes, problems, ...rest } = failure;
  const fits = (value: unknown) => typeof value !== 'string' || value.length <= longest;
  return (
    Object.values(rest).every(fits) &&
    Object.values(attributes).every(({ value }) => fits(value)) &&
    Object.values(system_attributes).every(fits) &&
    problems.every(({ field, rule }) => fits(field) && fits(rule))
  );
}
