import { quoteTyped } from '../../model/display/escape.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { toJson, toPrettyJson } from '../outputs/json.ts';
import { SCHEMA_NAMES } from '../schemas/names.ts';
import { schemaOf } from '../schemas/schemas.ts';
import { suggestion } from '../suggest.ts';

export async function run([typed = '']: string[], _options: unknown, { terminal }: Context): Promise<number> {
  const name = SCHEMA_NAMES.find((one) => one === typed);
  if (name === undefined) {
    throw new BabelqError('usage', `There is no schema ${quoteTyped(typed)}.`, {
      hint: suggestion(typed, SCHEMA_NAMES),
    });
  }
  const schema = schemaOf(name);
  terminal.write(`${terminal.shown ? toPrettyJson(schema) : toJson(schema)}\n`);
  return EXIT.done;
}
