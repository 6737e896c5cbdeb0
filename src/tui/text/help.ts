import { bindingsFor, LISTS, type Mode } from '../keys.ts';
import { keyName } from './key-name.ts';
import { type Line, span } from './line.ts';
import { Page } from './page.ts';
import { wrapText } from './wrap.ts';

const KEYS = 16;

/** The keys that work in a mode, each with what it does. */
export function helpLines(mode: Mode, width: number): Line[] {
  const page = new Page(width);
  for (const { keys, says } of bindingsFor(mode)) {
    const names = keys.map(keyName).join(' ');
    wrapText(says, width - KEYS - 1).forEach((part, at) => {
      page.add([span(`${(at === 0 ? names : '').padEnd(KEYS)} `, 'strong'), span(part)]);
    });
  }
  if (LISTS.includes(mode)) {
    page.title('The filter');
    page.text(
      'Words look in ids, queues, subjects, reasons and errors. Parts: queue: reason: subject: (with * and ?), origin: state: since: before: error: trace: message_id: fingerprint:. ' +
        'A member of the body: order_id=1042, data.total>=99.90, name~smith. All must fit. state:dismissed shows what was dismissed.',
    );
    page
      .gap()
      .text(
        'A listing is a snapshot: nothing is hidden from others while you look, unless you hold it (H). Counts refresh by themselves; the queues are read again on R and after an action.',
        'dim',
      );
  }
  return page.lines;
}

/** The keys of the footer, as many as fit; help and the way out always. */
export function footerLine(mode: Mode, width: number): Line {
  const shown = bindingsFor(mode).flatMap(({ keys, short, command }) =>
    short === undefined
      ? []
      : [{ text: `${keyName(keys[0] ?? '')} ${short}`, kept: KEPT.has(command), key: keyName(keys[0] ?? '') }],
  );
  const kept = shown.filter((one) => one.kept);
  // The gap after the last one isn't needed.
  let left = width + 2 - kept.reduce((sum, { text }) => sum + text.length + 2, 0);
  const out = shown.filter(({ text, kept: always }) => {
    if (always) return true;
    left -= text.length + 2;
    return left >= 0;
  });
  return out.flatMap(({ text, key }, at) => [
    ...(at === 0 ? [] : [span('  ')]),
    span(key, 'strong'),
    span(text.slice(key.length), 'dim'),
  ]);
}

const KEPT: ReadonlySet<string> = new Set([
  'help',
  'quit',
  'back',
  'back_to_groups',
  'yes',
  'no',
  'cancel',
  'accept',
  'abandon',
]);
