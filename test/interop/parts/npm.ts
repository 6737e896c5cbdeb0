import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../../support/servers.ts';
import type { Part } from './part.ts';

const PACKAGE = resolve(import.meta.dirname, '../../../package.json');

/** The version that package.json pins. */
function versionAsked(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { devDependencies: Record<string, string> };
  const version = devDependencies[name];
  if (version === undefined) throw new Error(`package.json has no ${name}.`);
  return version;
}

function inThisProcess(name: SqsServer['name'], start: () => Promise<SqsServer>): Part {
  return {
    name,
    origin: 'npm',
    version: versionAsked(name),
    async start() {
      const { endpoint, account, close } = await start();
      return { server: { endpoint, account }, close };
    },
  };
}

export const localAwsSqs = inThisProcess('local-aws-sqs', startLocalAwsSqs);
export const fauxqs = inThisProcess('fauxqs', startFauxqs);
