import { FILTER_PARTS, type FilterWords } from '../model/filter.ts';

/** The filters as commander hands them over; free text is for the screens alone. */
export interface FilterOptions extends Omit<FilterWords, 'message_id' | 'text'> {
  messageId?: readonly string[];
}

/** What was typed of the filters, without a command's other options. */
export function filterWords(options: FilterOptions): FilterWords {
  const words: FilterWords = { ...options, ...(options.messageId && { message_id: options.messageId }) };
  return Object.fromEntries(FILTER_PARTS.flatMap((part) => (words[part] === undefined ? [] : [[part, words[part]]])));
}

/** Whether any filter was given, states too. */
export function anyFilter(options: FilterOptions): boolean {
  return Object.keys(filterWords(options)).length > 0;
}
