import { type Binding, bindingsFor, type Command } from '../keys.ts';
import { modeOf } from './mode.ts';
import { isScroll } from './scroll.ts';
import { belowTop, type PaletteScreen, type State, topScreen, withTop } from './state.ts';
import { type Step, still } from './step.ts';
import { editLine, isLineCommand, type LineCommand, typeInLine } from './text-line.ts';

export function openPalette(state: State): State {
  const palette: PaletteScreen = { kind: 'palette', top: 0, cursor: 0, line: { text: '', caret: 0 } };
  return { ...state, screens: [...state.screens, palette] };
}

export function typeInPalette(state: State, text: string): State {
  return onPalette(state, (palette) => ({ ...palette, cursor: 0, top: 0, line: typeInLine(palette.line, text) }));
}

/**
 * Edits what is typed, leaves, or does what is chosen where the person was.
 * @param run what a command does
 */
export function editPalette(
  state: State,
  command: LineCommand | 'accept' | 'abandon',
  run: (state: State, command: Command) => Step,
): Step {
  const palette = topScreen(state);
  if (palette?.kind !== 'palette') return still(state);
  const below = belowTop(state);
  if (command === 'abandon' || (command === 'erase' && palette.line.text === '')) return { state: below, effects: [] };
  if (command === 'accept') {
    const chosen = paletteChoices(state, palette)[palette.cursor];
    return chosen === undefined ? still(state) : run(below, chosen.command);
  }
  const edited = onPalette(state, (one) => ({ ...one, cursor: 0, top: 0, line: editLine(one.line, command) }));
  return { state: edited, effects: [] };
}

/** More than any name costs. */
const AFTER_NAMES = 1000;

/** The commands that work where the person was and fit what is typed, the best first. */
export function paletteChoices(state: State, { line }: PaletteScreen): readonly Binding[] {
  const below = modeOf(belowTop(state));
  const typed = line.text.trim().toLowerCase();
  const seen = new Set<Command>();
  const scored = bindingsFor(below).flatMap((binding) => {
    const { command, says } = binding;
    if (seen.has(command) || isScroll(command) || isLineCommand(command) || command === 'palette') return [];
    seen.add(command);
    const name = command.replaceAll('_', ' ');
    // A name is guessed from its letters; what it does has to say what was typed.
    const score = fuzzy(name, line.text) ?? (says.toLowerCase().includes(typed) ? AFTER_NAMES : null);
    return score === null ? [] : [{ binding, score }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ binding }) => binding);
}

/**
 * How far the letters of `typed` lie apart in `text`, in their order; null where one is missing. Less is better, and a letter
 * that begins a word costs nothing.
 */
function fuzzy(text: string, typed: string): number | null {
  const letters = text.toLowerCase();
  let cost = 0;
  let at = -1;
  for (const letter of typed.toLowerCase().replace(/\s+/g, '')) {
    const next = letters.indexOf(letter, at + 1);
    if (next === -1) return null;
    const startsWord = next === 0 || letters[next - 1] === ' ';
    cost += startsWord ? 0 : next - at - 1;
    at = next;
  }
  // Of equals the one that is named so, and begins so, comes first.
  return cost + letters.indexOf(typed.toLowerCase().slice(0, 1)) / 100;
}

function onPalette(state: State, change: (palette: PaletteScreen) => PaletteScreen): State {
  const screen = topScreen(state);
  return screen?.kind === 'palette' ? withTop(state, change(screen)) : state;
}
