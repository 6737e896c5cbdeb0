import type { ActionItem } from '../../model/action.ts';
import type { Section } from '../state/events.ts';

/** What hurts most first. */
const KINDS = ['returned', 'failed', 'uncertain', 'skipped', 'done'] as const satisfies readonly Section['kind'][];

/** Messages of each kind that are kept to be listed: nobody reads further, and the journal has them all. */
const KEPT: Readonly<Record<Section['kind'], number>> = {
  returned: 2000,
  failed: 2000,
  uncertain: 2000,
  skipped: 2000,
  done: 1000,
};

/** Keeps the messages of an action by how they ended. */
export class Sections {
  readonly #kinds = new Map<Section['kind'], { count: number; items: ActionItem[] }>();

  add(item: ActionItem): void {
    const { outcome } = item;
    if (outcome === 'planned') return;
    const kind = item.returned === true ? 'returned' : outcome;
    const section = this.#kinds.get(kind) ?? { count: 0, items: [] };
    section.count += 1;
    if (section.items.length < KEPT[kind]) section.items.push(item);
    this.#kinds.set(kind, section);
  }

  get all(): Section[] {
    return KINDS.flatMap((kind) => {
      const section = this.#kinds.get(kind);
      return section === undefined ? [] : [{ kind, ...section }];
    });
  }
}
