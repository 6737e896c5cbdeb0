import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { QueueFinder } from '../model/discover/found.ts';
import type { Reach } from '../model/doctor/diagnosis.ts';
import { BabelqError } from '../model/errors.ts';
import type { JournalCare } from '../model/journal-care.ts';
import type { Clock, Journal, Source } from '../model/ports.ts';
import type { Workspace } from '../model/workspace.ts';
import {
  type Config,
  isUrl,
  type JadpoConfig,
  journalLocation,
  NO_CONFIG,
  type SourceConfig,
  type SqsConfig,
} from './config/config.ts';
import { findConfig } from './config/find.ts';
import type { Resolution, ResolvedSetting } from './config/resolved.ts';
import { refuseSameNames } from './config/unique-names.ts';
import { suggestion } from './suggest.ts';

export interface OpenRequest {
  /** `--config` */
  config?: string;
  /** `--sqs` and `--jadpo`: sources instead of the configuration's. */
  sqs: readonly string[];
  jadpo: readonly string[];
  /** `--source`: only these. */
  source: readonly string[];
  /** `--journal` */
  journal?: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/** A workspace with what only this process cares about. */
export interface OpenedWorkspace extends Workspace {
  /** False where the journal lies in the default place, which a container may lose with its home folder. */
  readonly journalNamed: boolean;
  close(): Promise<void>;
}

/**
 * The composition root: the only place that knows every adapter. No source is connected to yet when it returns.
 * @throws BabelqError `config`, `usage`
 */
export async function openWorkspace(request: OpenRequest): Promise<OpenedWorkspace> {
  const config = await configOf(request);
  const clock = systemClock();
  const { journal, named } = await openTheJournal(request, config, clock);
  const sources: Source[] = [];
  const close = async () => {
    await Promise.allSettled(sources.map((source) => source.close()));
    await journal.close();
  };
  try {
    const configs = chosen(request, config);
    const named = await Promise.all(configs.map((one) => openSource(one, { journal, clock })));
    refuseSameNames(named.map(({ name }, n) => ({ name, place: configs[n]?.place })));
    sources.push(...picked(named, request.source));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    sources,
    journal,
    journalNamed: named,
    clock,
    operator: operatorOf(request.env),
    redact: config.redact,
    requireNote: config.requireNote,
    close,
  };
}

/** The journal alone, for what needs no source. @throws BabelqError `config`, `journal` */
export async function openJournalOnly(request: OpenRequest): Promise<Pick<Workspace, 'journal' | 'clock'>> {
  const clock = systemClock();
  const { journal } = await openTheJournal(request, await configOf(request), clock);
  return { journal, clock };
}

/** Whether the journal lies on a server, which is asked over a network. @throws BabelqError `config` */
export async function isJournalRemote(request: OpenRequest): Promise<boolean> {
  return isUrl((await placeOfJournal(request, await configOf(request))).location);
}

/** The journal to look after, and nothing else. @throws BabelqError `config`, `journal` */
export async function openJournalCare(request: OpenRequest): Promise<{ care: JournalCare; clock: Clock }> {
  const clock = systemClock();
  const { location } = await placeOfJournal(request, await configOf(request));
  if (isUrl(location)) {
    const { postgresCare } = await import('../adapters/journal/postgres/care.ts');
    return { care: postgresCare({ url: location, clock, env: request.env }), clock };
  }
  const { sqliteCare } = await import('../adapters/journal/care.ts');
  return { care: sqliteCare(location, clock, request.env), clock };
}

/** What it takes to find sources before any is configured. */
export interface Discovery {
  /** The databases that --jadpo names. */
  databases: readonly JadpoConfig[];
  /** @throws BabelqError `config` */
  finder(reach: Reach): QueueFinder;
  /** Closed with the rest. */
  source(config: SourceConfig): Promise<Source>;
  close(): Promise<void>;
}

/** Whatever is configured already counts for nothing here. Nothing is connected to yet. @throws BabelqError `config` */
export async function openDiscovery(request: OpenRequest): Promise<Discovery> {
  const clock = systemClock();
  const { journal } = await openTheJournal(request, NO_CONFIG, clock);
  const { openQueueFinder } = await import('../adapters/sqs/discover.ts');
  const sources: Source[] = [];
  return {
    databases: typedSources(request).filter((source) => source.kind === 'jadpo'),
    finder: (reach) => openQueueFinder(reach, { clock }),
    source: async (config) => {
      const source = await openSource(config, { journal, clock });
      sources.push(source);
      return source;
    },
    close: async () => {
      await Promise.allSettled(sources.map((source) => source.close()));
      await journal.close();
    },
  };
}

/** The settings that count, without secrets, and the files that were read for them. */
export interface Configured {
  files: string[];
  settings: ResolvedSetting[];
}

/** What is configured, and where each value comes from. Opens nothing. @throws BabelqError `config` */
export async function configuredFor(request: OpenRequest): Promise<Configured> {
  const config = await configOf(request);
  const { resolveSettings } = await import('./config/resolved.ts');
  const journal = await placeOfJournal(request, config);
  const settings = resolveSettings({
    config,
    typed: typedSources(request),
    journal,
    operator: {
      name: operatorOf(request.env),
      ...(request.env.BABELQ_OPERATOR
        ? { from: 'environment', place: '$BABELQ_OPERATOR' }
        : { from: 'default', place: null }),
    },
    env: request.env,
  });
  return { files: config.files, settings };
}

async function configOf({ config, env, cwd }: OpenRequest): Promise<Config> {
  const found = await findConfig(config, env, cwd);
  if (found === null) return NO_CONFIG;
  // YAML's reader is loaded where there is something to read.
  const { loadConfig } = await import('./config/load.ts');
  return loadConfig(found, env);
}

function typedSources(request: OpenRequest): SourceConfig[] {
  return [
    ...request.sqs.map((queue): SqsConfig => ({ kind: 'sqs', queue })),
    ...request.jadpo.map(
      (database): JadpoConfig => ({
        kind: 'jadpo',
        database: isUrl(database) ? database : resolve(request.cwd, database),
      }),
    ),
  ];
}

function chosen(request: OpenRequest, config: Config): SourceConfig[] {
  const typed = typedSources(request);
  const sources = typed.length > 0 ? typed : config.sources;
  if (sources.length > 0) return sources;
  throw new BabelqError(
    'config',
    config.file === null ? 'No source is named.' : `No source is named: ${config.file} has none.`,
    {
      hint: 'Have them found: babelq sources discover --write. Or name one with --sqs QUEUE or --jadpo DATABASE, or list them under sources: in babelq.yaml.',
    },
  );
}

async function openSource(config: SourceConfig, deps: { journal: Journal; clock: Clock }): Promise<Source> {
  try {
    return await connect(config, deps);
  } catch (error) {
    if (config.place === undefined || !(error instanceof BabelqError) || error.code !== 'config') throw error;
    // What only the adapter knows is wrong in the file all the same, and is told with its place there.
    throw new BabelqError(
      'config',
      `${config.place}: ${error.message}`,
      error.hint === null ? {} : { hint: error.hint },
    );
  }
}

async function connect(config: SourceConfig, deps: { journal: Journal; clock: Clock }): Promise<Source> {
  if (config.kind === 'sqs') {
    const { kind: _, place: __, ...options } = config;
    const { openSqsSource } = await import('../adapters/sqs/source.ts');
    return openSqsSource(options, deps);
  }
  const { kind: _, place: __, ...options } = config;
  const { openJadpoSource } = await import('../adapters/jadpo/source.ts');
  return openJadpoSource(options, deps);
}

function picked(sources: readonly Source[], names: readonly string[]): Source[] {
  for (const name of names) {
    if (!sources.some((source) => source.name === name)) {
      throw new BabelqError('usage', `There is no source ${name}.`, {
        hint: suggestion(
          name,
          sources.map((source) => source.name),
        ),
      });
    }
  }
  return names.length === 0 ? [...sources] : sources.filter(({ name }) => names.includes(name));
}

async function openTheJournal(
  request: OpenRequest,
  config: Config,
  clock: Clock,
): Promise<{ journal: Journal; named: boolean }> {
  const { location, from } = await placeOfJournal(request, config);
  const named = from !== 'default';
  if (isUrl(location)) {
    const { openPostgresJournal } = await import('../adapters/journal/postgres/journal.ts');
    return { journal: openPostgresJournal({ url: location, clock, env: request.env }), named };
  }
  const { openJournal } = await import('../adapters/journal/journal.ts');
  return { journal: openJournal({ path: location, clock, create: true, env: request.env }), named };
}

/** Where the journal lies, a file or a URL (which may hold a password), and what says so. */
async function placeOfJournal(request: OpenRequest, config: Config): Promise<Resolution['journal']> {
  const { env, cwd } = request;
  if (request.journal !== undefined)
    return { location: journalLocation(request.journal, cwd), from: 'flag', place: '--journal' };
  if (env.BABELQ_JOURNAL) {
    return { location: journalLocation(env.BABELQ_JOURNAL, cwd), from: 'environment', place: '$BABELQ_JOURNAL' };
  }
  if (config.journal !== null) {
    const setting = config.settings.find(({ path }) => path === 'journal');
    return { location: config.journal, from: 'file', place: setting ? `${setting.file}:${setting.line}` : config.file };
  }
  const { defaultJournalPath } = await import('../adapters/journal/location.ts');
  const location = defaultJournalPath(env);
  return env.XDG_STATE_HOME?.startsWith('/')
    ? { location, from: 'environment', place: '$XDG_STATE_HOME' }
    : { location, from: 'default', place: null };
}

function systemClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((done) => {
        if (signal?.aborted) return done();
        const wake = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          done();
        };
        const timer = setTimeout(wake, ms);
        signal?.addEventListener('abort', wake);
      }),
  };
}

function operatorOf(env: OpenRequest['env']): string {
  if (env.BABELQ_OPERATOR) return env.BABELQ_OPERATOR;
  const user = userName() ?? env.USER ?? 'unknown';
  return `${user}@${hostname()}`;
}

/** Null in a container whose user has no entry in the password file. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
