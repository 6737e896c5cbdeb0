/** A JSON Schema, draft 2020-12, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** ISO 8601, UTC, with milliseconds: as texts they stand in the order of time. */
const TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

export function text(description: string, more: Schema = {}): Schema {
  return { type: 'string', description, ...more };
}

export function time(description: string): Schema {
  return text(description, { pattern: TIME });
}

/** One of a closed set. */
export function oneOf(values: readonly string[], description: string): Schema {
  return { type: 'string', enum: values, description };
}

/** A whole number, 0 or more. */
export function count(description: string): Schema {
  return { type: 'integer', minimum: 0, description };
}

export function flag(description: string): Schema {
  return { type: 'boolean', description };
}

export function list(items: Schema, description: string): Schema {
  return { type: 'array', items, description };
}

/** Members by free names. */
export function map(values: Schema, description: string): Schema {
  return { type: 'object', additionalProperties: values, description };
}

/** The same, or null where it isn't known or doesn't apply. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values, ...rest } = schema;
  return { ...rest, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/**
 * An object with these members and no others. All must be there, but for the optional ones.
 * @param optional members that are there only where their description says so
 */
export function object(
  description: string,
  members: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    type: 'object',
    description,
    properties: { ...members, ...optional },
    required: Object.keys(members),
    additionalProperties: false,
  };
}

/** A reference to a part of the same document that has a name of its own: `#/$defs/failure` is also one line of ndjson. */
export function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}
