import { paletteChoices } from '../state/palette.ts';
import type { PaletteScreen, State } from '../state/state.ts';
import { keyName } from './key-name.ts';
import { fitLine, type Line, line, span } from './line.ts';

const KEY = 8;
const NAME = 14;

/** The commands that can be chosen, each with its key: so that the next time it is quicker. */
export function paletteLines(state: State, screen: PaletteScreen): Line[] {
  const choices = paletteChoices(state, screen);
  if (choices.length === 0) return [line('No command here fits that.', 'dim')];
  return choices.map(({ command, keys, says }) =>
    fitLine(
      [
        span(keyName(keys[0] ?? '').padEnd(KEY), 'strong'),
        span(command.replaceAll('_', ' ').padEnd(NAME), 'accent'),
        span(` ${says}`),
      ],
      state.size.columns,
    ),
  );
}
