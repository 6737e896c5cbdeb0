import { Box, Text } from 'ink';
import { type ReactElement, useContext } from 'react';
import type { Line } from '../text/line.ts';
import { PaintContext } from './paint-context.ts';

/** Lines that were fitted already, in a box of exactly `height` lines. */
export function Lines({ lines, height }: { lines: readonly Line[]; height: number }): ReactElement {
  const paint = useContext(PaintContext);
  return <Painted lines={lines.map((one) => paint.line(one))} height={height} />;
}

/** Lines with their colours in them. */
export function Painted({ lines, height }: { lines: readonly string[]; height: number }): ReactElement | null {
  if (height === 0) return null;
  // An empty text has no height, and a line that is too long would wrap.
  const shown = Array.from({ length: height }, (_, at) => lines[at] || ' ');
  return (
    <Box height={height} flexShrink={0} flexDirection="column" overflow="hidden">
      <Text wrap="truncate">{shown.join('\n')}</Text>
    </Box>
  );
}
