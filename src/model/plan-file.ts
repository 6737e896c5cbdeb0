import type { Action, PlanTerms } from './action.ts';
import { quoteTyped } from './display/escape.ts';
import { BabelqError } from './errors.ts';
import { STATES, type State } from './failure.ts';
import { wantedId } from './ids.ts';
import type { Plan, PlannedItem } from './plan.ts';
import type { SourceKind } from './ports.ts';

/** A plan as a dry run printed it, read back. */
export interface PlanFile {
  terms: PlanTerms;
  /** What it says is to be done. */
  items: FiledItem[];
  /** How many it says can't be done: they are no part of it. */
  left: number;
}

interface FiledItem {
  id: string;
  reason: string;
  queue: string | null;
  to: string | null;
  state: State;
  digest: string;
}

const LAYOUT = 1;

/**
 * Reads a plan: the JSON document of `--dry-run`. Items may have been taken out of it; nothing else is guessed at.
 * @param name the file, as messages name it
 * @throws BabelqError `usage` that says what is wrong and where
 */
export function readPlan(text: string, name: string, action: Action): PlanFile {
  const file = new Reader(name, action);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw file.bad(text.trim() === '' ? 'it is empty' : 'it is not one JSON document');
  }
  const document = file.object(value, 'it');
  if (!('action' in document) || !('items' in document)) throw file.bad('it has no action and items');
  if (document.action !== action) {
    const other = ['retry', 'dismiss', 'restore'].find((one) => one === document.action);
    if (other === undefined) throw file.bad('its action is none of retry, dismiss and restore');
    throw new BabelqError('usage', `${name} is a plan to ${other}, not to ${action}.`, {
      hint: `babelq ${other} --plan ${name} carries it out.`,
    });
  }
  if (document.dry_run !== true) throw file.bad('it tells how a run went (dry_run is not true)');
  const terms = file.terms(document.plan);
  if (!Array.isArray(document.items)) throw file.bad('items is not a list');
  const items = new Map<string, FiledItem>();
  let left = 0;
  for (const [at, one] of document.items.entries()) {
    const item = file.item(one, `items[${at}]`);
    if (item === null) left += 1;
    else if ((items.get(item.id) ?? item).to !== item.to) {
      throw file.bad(`${quoteTyped(item.id)} is in it twice, to two places`);
    } else items.set(item.id, item);
  }
  return { terms, items: [...items.values()], left };
}

/**
 * The plan over the sources that are there.
 * @throws BabelqError `usage` where one of its sources isn't, or a message of SQS has no target
 */
export function planOf(
  file: PlanFile,
  name: string,
  action: Action,
  sources: readonly { name: string; kind: SourceKind }[],
): Plan {
  const names = sources.map((source) => source.name);
  const kinds = new Map(sources.map((source) => [source.name, source.kind]));
  const items = file.items.map(({ id, reason, queue, to, state, digest }): PlannedItem => {
    const { source, native } = wantedId(id, names);
    if (source === null) {
      const missing = id.slice(0, Math.max(0, id.indexOf('/'))) || id;
      throw new BabelqError('usage', `${name} has messages of ${missing}, and there is no source of that name here.`, {
        hint: `The sources are ${names.join(', ')}. Name the others as they were named for the dry run.`,
      });
    }
    if (kinds.get(source) === 'sqs' && to === null) throw new Reader(name, action).bad(`${quoteTyped(id)} has no to`);
    return { id, source, nativeId: native, reason, queue, to, state, digest, blocked: null };
  });
  return { action, items, madeAt: Date.parse(file.terms.made_at) };
}

class Reader {
  readonly #name: string;
  readonly #action: Action;

  constructor(name: string, action: Action) {
    this.#name = name;
    this.#action = action;
  }

  bad(why: string): BabelqError {
    return new BabelqError('usage', `${this.#name} is not a plan: ${why}.`, {
      hint: `babelq ${this.#action} … --dry-run --json > plan.json makes one.`,
    });
  }

  object(value: unknown, what: string): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.bad(`${what} is not an object`);
    }
    return value as Record<string, unknown>;
  }

  terms(value: unknown): PlanTerms {
    if (value === undefined) throw this.bad('it has no member plan, which says when and how it was made');
    const { version, made_at, to, bypass, set, unset } = this.object(value, 'plan');
    if (typeof version === 'number' && version > LAYOUT) {
      throw new BabelqError('usage', `${this.#name} was written by a newer babelq (its plan has version ${version}).`, {
        hint: 'Update babelq on this machine.',
      });
    }
    if (version !== LAYOUT) throw this.bad(`plan.version is not ${LAYOUT}`);
    if (typeof made_at !== 'string' || Number.isNaN(Date.parse(made_at))) throw this.bad('plan.made_at is not a time');
    if (to !== null && typeof to !== 'string') throw this.bad('plan.to is not a text or null');
    if (typeof bypass !== 'boolean') throw this.bad('plan.bypass is not true or false');
    if (!isTexts(set)) throw this.bad('plan.set is not a list of texts');
    if (!isTexts(unset)) throw this.bad('plan.unset is not a list of texts');
    return { version, made_at, to, bypass, set, unset };
  }

  /** Null for one that the plan says can't be done. */
  item(value: unknown, where: string): FiledItem | null {
    const { id, reason, outcome, to, queue, state, body_sha256 } = this.object(value, where);
    if (typeof id !== 'string' || id === '') throw this.bad(`${where}.id is not a text`);
    if (outcome === 'skipped') return null;
    if (outcome !== 'planned') throw this.bad(`${where}.outcome is neither planned nor skipped`);
    if (typeof reason !== 'string') throw this.bad(`${where}.reason is not a text`);
    if (to !== null && typeof to !== 'string') throw this.bad(`${where}.to is not a text or null`);
    if (queue !== null && typeof queue !== 'string') throw this.bad(`${where}.queue is not a text or null`);
    const known = STATES.find((one) => one === state);
    if (known === undefined) throw this.bad(`${where}.state is none of ${STATES.join(', ')}`);
    if (typeof body_sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(body_sha256)) {
      throw this.bad(`${where}.body_sha256 is not a SHA-256 in hex`);
    }
    return { id, reason, queue, to, state: known, digest: body_sha256 };
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
