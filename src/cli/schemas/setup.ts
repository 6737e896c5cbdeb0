import type { Check, Finding } from '../../model/doctor/check.ts';
import { list, object, oneOf, orNull, ref, type Schema, text } from './shape.ts';

const SOURCE = text("The source's name, or config, journal or babelq");
const CHECK = text("What was checked: a word, or a permission's name");

const FINDING = object('What is wrong, and how to mend it', {
  source: SOURCE,
  check: CHECK,
  severity: oneOf(
    ['error', 'warning'],
    'error: something does not work; warning: something may be lost or is not known',
  ),
  message: text('What is wrong'),
  mend: text('What to do'),
  command: orNull(text('The line that does it')),
  terraform: orNull(text('The same for Terraform')),
} satisfies Record<keyof Finding, Schema>);

const CHECKED = object('One check, and what came of it', {
  source: SOURCE,
  check: CHECK,
  about: orNull(text('The queue that it was checked on; null where that is plain')),
  state: oneOf(['ok', 'finding', 'unknown'], 'unknown: no harmless call tells; it is neither well nor wrong'),
  message: text('What was seen, or why it cannot be known'),
} satisfies Record<keyof Check, Schema>);

export const DOCTOR: Schema = {
  ...object('What babelq doctor prints', {
    findings: list(ref('finding'), 'What is wrong, the sources as configured'),
    checks: list(ref('check'), 'Everything that was looked at'),
  }),
  $defs: { finding: FINDING, check: CHECKED },
};
