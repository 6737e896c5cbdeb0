import { ACTING } from './acting.ts';
import { KILLED } from './killed.ts';
import { LOOKING } from './looking.ts';
import { MOVING } from './moving.ts';
import type { Journey } from './place.ts';

export const JOURNEYS: readonly Journey[] = [...LOOKING, ...ACTING, ...MOVING, ...KILLED];
