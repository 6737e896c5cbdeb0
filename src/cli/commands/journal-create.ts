import type { Context } from '../context.ts';
import { printInfo } from './journal-info.ts';

export async function run(_args: string[], _options: unknown, context: Context): Promise<number> {
  const { care, clock } = await context.openJournalCare();
  return printInfo(await care.create(), clock.now(), context);
}
