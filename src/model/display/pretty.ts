import { indentJson } from '../json/layout.ts';
import { scanJson } from '../json/scan.ts';
import { escapeBlock, escapeJsonToken } from './escape.ts';

/**
 * A body for people, safe to print. JSON gets a line a member, its tokens as they are stored but for what a terminal would
 * act on, which is written as a JSON escape. Anything else is escaped and keeps its lines.
 */
export function prettyBody(body: string): string {
  const root = scanJson(body);
  return root === undefined ? escapeBlock(body) : indentJson(body, root, escapeJsonToken);
}
