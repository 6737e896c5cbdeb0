import { shellWord } from '../model/display/shell-word.ts';
import { maskSecrets } from './config/mask.ts';
import type { GlobalOptions } from './global-options.ts';

/**
 * The options by which a command line that is shown to be typed next reaches the sources that this one did, each with a
 * blank before it: ` --sqs orders-dlq`. A secret in an address isn't repeated.
 */
export function sameSources(global: GlobalOptions): string {
  const { config, source, sqs, jadpo, journal, allowReceive } = global;
  return [
    ...option('--config', config),
    ...source.flatMap((name) => option('--source', name)),
    ...sqs.flatMap((queue) => option('--sqs', queue)),
    ...jadpo.flatMap((database) => option('--jadpo', database)),
    ...option('--journal', journal),
    allowReceive ? ' --allow-receive' : '',
  ].join('');
}

/** As sameSources, for what only looks into the journal. */
export function sameJournal({ config, journal }: Pick<GlobalOptions, 'config' | 'journal'>): string {
  return [...option('--config', config), ...option('--journal', journal)].join('');
}

function option(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [` ${name} ${shellWord(maskSecrets(value, []).value)}`];
}
