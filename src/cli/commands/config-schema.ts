import { EXIT } from '../../model/errors.ts';
import { configSchema } from '../config/schema.ts';
import type { Context } from '../context.ts';
import { toJson, toPrettyJson } from '../outputs/json.ts';

export async function run(_args: string[], _options: unknown, { terminal, global }: Context): Promise<number> {
  // It is mostly written into a file, and read there.
  const write = global.output === 'json' && !terminal.shown ? toJson : toPrettyJson;
  terminal.write(`${write(configSchema())}\n`);
  return EXIT.done;
}
