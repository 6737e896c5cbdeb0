import type { FilterWords } from '../model/filter.ts';

/** The filters as commander hands them over. */
export interface FilterOptions {
  queue?: string[];
  reason?: string[];
  subject?: string[];
  origin?: string[];
  state?: string[];
  since?: string;
  before?: string;
  error?: string[];
  trace?: string[];
  messageId?: string[];
  fingerprint?: string[];
  where?: string[];
}

export function filterWords(options: FilterOptions): FilterWords {
  const { queue, reason, subject, origin, state, since, before, error, trace, messageId, fingerprint, where } = options;
  return {
    ...(queue && { queue }),
    ...(reason && { reason }),
    ...(subject && { subject }),
    ...(origin && { origin }),
    ...(state && { state }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
    ...(error && { error }),
    ...(trace && { trace }),
    ...(messageId && { message_id: messageId }),
    ...(fingerprint && { fingerprint }),
    ...(where && { where }),
  };
}

/** Whether any filter was given, states too. */
export function anyFilter(options: FilterOptions): boolean {
  return Object.keys(filterWords(options)).length > 0;
}
