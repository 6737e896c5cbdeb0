/** What the model asks of the world: whoever lets babelq reach another system or keeps its memory elsewhere implements these. */
export type * from './ports/acting.ts';
export type * from './ports/clock.ts';
export type * from './ports/holding.ts';
export type * from './ports/intake.ts';
export type * from './ports/journal.ts';
export type * from './ports/move-tasks.ts';
export type * from './ports/reading.ts';
export type * from './ports/source.ts';
