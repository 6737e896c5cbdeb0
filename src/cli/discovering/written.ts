import type { DiscoveredQueue } from '../../model/discover/found.ts';
import type { WrittenSource } from '../config/write.ts';
import { databaseSetting } from './databases.ts';
import type { FoundTable } from './look.ts';
import { neededOf } from './report.ts';

/**
 * What was found, as the configuration names it.
 * @param folder where the file will lie, absolute: paths go by it
 */
export function written(
  queues: readonly DiscoveredQueue[],
  tables: readonly FoundTable[],
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): WrittenSource[] {
  return [
    ...queues.map(({ name, queue, place, redriveTo, note, sources }): WrittenSource => {
      const from = sources.length === 0 ? null : `fed by ${sources.join(', ')}`;
      const comments = [from, note].filter((comment) => comment !== null);
      return {
        settings: {
          name,
          sqs: queue.name,
          ...(redriveTo !== null && { redrive_to: redriveTo }),
          ...neededOf(place.reach, env),
        },
        comment: comments.length === 0 ? null : comments.join('; '),
      };
    }),
    ...tables.map(({ source, database }): WrittenSource => {
      const { value, note } = databaseSetting(database, folder, env);
      return { settings: { name: source.name, jadpo: value }, comment: note };
    }),
  ];
}
