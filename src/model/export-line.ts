import { BabelqError } from './errors.ts';
import type { Attributes, WholeFailure } from './failure.ts';
import { queueName } from './queue-name.ts';
import type { RememberedFacts } from './sqs-message.ts';

/** One line of an export. */
export interface ExportLine {
  /** With everything that was stored: body, attributes, SQS's own attributes; binary values as base64. */
  failure: WholeFailure;
  /** ISO 8601, UTC. */
  exported_at: string;
  /** Members of its body were blanked, so it can't be imported. */
  redacted: boolean;
}

/** A message as an export has it, to be put on a queue. */
export interface ImportedMessage {
  /** As it was exported: `<source>/<native id>`. */
  readonly id: string;
  readonly source: string;
  readonly nativeId: string;
  readonly reason: string;
  readonly queue: string | null;
  readonly subject: string | null;
  /** Null where it isn't UTF-8. */
  readonly body: string | null;
  readonly attributes: Attributes;
  readonly systemAttributes: Readonly<Record<string, string>>;
  readonly redacted: boolean;
  /** What it loses by being a new message, for the journal to keep. */
  readonly remembered: RememberedFacts;
}

/**
 * Reads one line of an export.
 * @param where the line, as messages name it: `failures.ndjson, line 3`
 * @throws BabelqError `usage` that says what is wrong with it
 */
export function readExportLine(text: string, where: string): ImportedMessage {
  const read = new Reader(where);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw read.bad('it is not JSON');
  }
  const line = read.object(value, 'it');
  if (line.failure === undefined) throw read.bad('it has no failure');
  const failure = read.object(line.failure, 'failure');
  const id = read.text(failure, 'id');
  const source = read.text(failure, 'source');
  if (!id.startsWith(`${source}/`) || id.length === source.length + 1) {
    throw read.bad('failure.id does not begin with its source');
  }
  const body = read.textOrNull(failure, 'body');
  if (body === null && read.textOrNull(failure, 'body_base64') === null) throw read.bad('failure has no body');
  const systemAttributes = read.texts(failure.system_attributes, 'failure.system_attributes');
  const basis = read.textOrNull(failure, 'retry_to_basis');
  // What a flag or the configuration said then says nothing now.
  const isTyped = basis === 'flag' || basis === 'config';
  return {
    id,
    source,
    nativeId: id.slice(source.length + 1),
    reason: read.text(failure, 'reason'),
    queue: read.textOrNull(failure, 'queue'),
    subject: read.textOrNull(failure, 'subject'),
    body,
    attributes: read.attributes(failure.attributes),
    systemAttributes,
    redacted: line.redacted === true || failure.redacted === true,
    remembered: {
      archivedUntil: null,
      sourceArn: systemAttributes.DeadLetterQueueSourceArn ?? null,
      sentAt: read.time(failure, 'sent_at'),
      failedAt: read.time(failure, 'failed_at'),
      retryTo: isTyped ? null : (queueName(read.textOrNull(failure, 'retry_to')) ?? null),
    },
  };
}

class Reader {
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  bad(why: string): BabelqError {
    return new BabelqError('usage', `${this.#where} is not of an export: ${why}.`, {
      hint: 'babelq export > failures.ndjson writes one message a line. Nothing was put anywhere.',
    });
  }

  object(value: unknown, what: string): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.bad(`${what} is not an object`);
    return value as Record<string, unknown>;
  }

  text(failure: Record<string, unknown>, name: string): string {
    const value = failure[name];
    if (typeof value !== 'string' || value === '') throw this.bad(`failure.${name} is not a text`);
    return value;
  }

  textOrNull(failure: Record<string, unknown>, name: string): string | null {
    const value = failure[name];
    if (value !== null && typeof value !== 'string') throw this.bad(`failure.${name} is not a text or null`);
    return value;
  }

  time(failure: Record<string, unknown>, name: string): string | null {
    const value = this.textOrNull(failure, name);
    if (value === null) return null;
    const ms = Date.parse(value);
    if (Number.isNaN(ms)) throw this.bad(`failure.${name} is not a time`);
    return new Date(ms).toISOString();
  }

  texts(value: unknown, what: string): Record<string, string> {
    const entries = Object.entries(this.object(value, what));
    if (entries.some(([, one]) => typeof one !== 'string')) throw this.bad(`a value in ${what} is not a text`);
    return Object.fromEntries(entries) as Record<string, string>;
  }

  attributes(value: unknown): Attributes {
    const entries = Object.entries(this.object(value, 'failure.attributes'));
    return Object.fromEntries(
      entries.map(([name, one]) => {
        const what = `the attribute ${JSON.stringify(name).slice(0, 80)}`;
        const { type, value } = this.object(one, what);
        if (typeof type !== 'string' || typeof value !== 'string') throw this.bad(`${what} has no type and value`);
        if (type.startsWith('Binary') && Buffer.from(value, 'base64').toString('base64') !== value) {
          throw this.bad(`${what} is binary, and its value is not base64`);
        }
        return [name, { type, value }];
      }),
    );
  }
}
