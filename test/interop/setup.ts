import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { babelqueue } from './parts/babelqueue.ts';
import { elasticmq } from './parts/elasticmq.ts';
import { fauxqs, localAwsSqs } from './parts/npm.ts';
import { NotHere, type Part, type StartedPart, scratch } from './parts/part.ts';
import { postgres } from './parts/postgres.ts';
import { awscli, localstack, moto } from './parts/python.ts';
import { countsIn } from './results.ts';

/** What became of a part. */
export interface PartHere {
  name: string;
  origin: string;
  /** `missing`: it can't be had here; `failed`: it could, and didn't start. */
  state: 'running' | 'missing' | 'failed';
  version: string | null;
  /** Why it isn't running. */
  why: string | null;
  server: { endpoint: string; account: string } | null;
  facts: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    parts: PartHere[];
    required: string[];
    /** A file that takes what was tried, a line each. */
    results: string;
  }
}

const PARTS: readonly Part[] = [elasticmq, moto, localstack, localAwsSqs, fauxqs, postgres, awscli, babelqueue];

/** Starts everything that can be had here, and tells the tests what there is. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const closing: (() => Promise<void>)[] = [];
  const say = (text: string) => process.stderr.write(`interop: ${text}\n`);
  const only = process.env.BABELQ_INTEROP_ONLY?.split(',');
  const begun = performance.now();
  const start = async (part: Part): Promise<PartHere> => {
    const nothing = { name: part.name, origin: part.origin, version: part.version, server: null, facts: {} };
    try {
      if (only !== undefined && !only.includes(part.name)) throw new NotHere('BABELQ_INTEROP_ONLY does not name it');
      const started: StartedPart = await part.start();
      if (started.close !== undefined) closing.push(started.close);
      const { version = part.version, server = null, facts = {} } = started;
      say(`${part.name} ${version}, after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
      return { ...nothing, state: 'running', version, why: null, server, facts };
    } catch (error) {
      const state = error instanceof NotHere ? 'missing' : 'failed';
      const why = (error as Error).message;
      say(state === 'missing' ? `CAN'T BE HAD HERE: ${part.name}: ${why}` : `FAILED: ${part.name}: ${why}`);
      return { ...nothing, state, why };
    }
  };
  const parts = await Promise.all(PARTS.map(start));
  const { parts: required } = JSON.parse(readFileSync(join(import.meta.dirname, 'required.json'), 'utf8')) as {
    parts: string[];
  };
  const url = parts.find(({ name }) => name === 'postgres')?.facts.url;
  if (url !== undefined) process.env.BABELQ_TEST_POSTGRES ??= url;
  const { folder, remove } = scratch('interop');
  const results = join(folder, 'results.ndjson');
  project.provide('parts', parts);
  project.provide('required', required);
  project.provide('results', results);

  return async () => {
    const counts = countsIn(results);
    for (const { name, state, version, why } of parts) {
      const tried = counts.get(name);
      if (state !== 'running') say(`${name}: NOT RUN, ${state === 'missing' ? "can't be had here" : 'failed'}: ${why}`);
      else say(`${name} ${version}: ${tried ?? 'ran'}`);
    }
    await Promise.allSettled(closing.map((close) => close()));
    remove();
    rmSync(results, { force: true });
  };
}
