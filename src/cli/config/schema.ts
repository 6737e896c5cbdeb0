import type { Schema } from '../schemas/shape.ts';
import { mapSchema } from './kinds.ts';
import { JADPO_SETTINGS, SQS_SETTINGS, TOP_SETTINGS } from './settings.ts';

/**
 * The JSON Schema (draft 2020-12) of babelq.yaml. What it can't say: that variables are set, that no two sources have one
 * name, and that included files are there.
 */
export function configSchema(): Schema {
  const top = mapSchema('babelq.yaml', TOP_SETTINGS);
  const { include, ...others } = top.properties as Record<string, Schema>;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:babelq:schema:config',
    title: 'The configuration of babelq',
    ...top,
    // A file with nothing in it is one that says nothing.
    type: ['object', 'null'],
    properties: {
      include,
      sources: {
        type: 'array',
        description: 'Where failures lie: dead-letter queues on SQS, and databases of jadpo apps',
        items: {
          oneOf: [
            mapSchema('A dead-letter queue on SQS', SQS_SETTINGS, ['sqs']),
            mapSchema('The parked messages of a jadpo app', JADPO_SETTINGS, ['jadpo']),
          ],
        },
        examples: [
          [
            { name: 'orders', sqs: 'orders-dlq' },
            { name: 'warehouse', jadpo: './build/local.sqlite' },
          ],
        ],
      },
      ...others,
    },
  };
}
