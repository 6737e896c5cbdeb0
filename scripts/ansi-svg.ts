/** Draws what a terminal shows, SGR colours and all, as an SVG: for the README's pictures. */
import stringWidth from 'string-width';

const CELL = 8.4;
const LINE = 18;
const PAD = 14;
const COLOURS = ['#6e7681', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#e6edf3'];
const INK = '#e6edf3';
const PAPER = '#0d1117';

interface Style {
  colour: string | null;
  bold: boolean;
  dim: boolean;
  inverse: boolean;
}

const PLAIN: Style = { colour: null, bold: false, dim: false, inverse: false };

function styled(style: Style, codes: string): Style {
  let next = { ...style };
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next = { ...PLAIN };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 27) next.inverse = false;
    else if (code >= 30 && code <= 37) next.colour = COLOURS[code - 30] ?? null;
    else if (code === 39) next.colour = null;
    else if (code >= 90 && code <= 97) next.colour = COLOURS[code - 90] ?? null;
  }
  return next;
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** @param text what was captured, with SGR sequences and no others */
export function toSvg(text: string, title: string): string {
  const lines = text.replace(/\s+$/, '').split('\n');
  const parts: string[] = [];
  let columns = 0;
  let style = PLAIN;
  for (const [row, line] of lines.entries()) {
    let column = 0;
    const baseline = PAD + row * LINE + 13;
    for (const piece of line.split(/(\x1b\[[0-9;]*m)/)) {
      const sgr = /^\x1b\[([0-9;]*)m$/.exec(piece);
      if (sgr !== null) {
        style = styled(style, sgr[1] || '0');
        continue;
      }
      if (piece === '') continue;
      const width = stringWidth(piece);
      const x = (PAD + column * CELL).toFixed(1);
      const length = (width * CELL).toFixed(1);
      const colour = style.colour ?? INK;
      if (style.inverse) {
        parts.push(`<rect x="${x}" y="${PAD + row * LINE}" width="${length}" height="${LINE}" fill="${colour}"/>`);
      }
      if (piece.trim() !== '') {
        const attributes = [
          `fill="${style.inverse ? PAPER : colour}"`,
          style.bold ? 'font-weight="bold"' : '',
          style.dim ? 'opacity="0.65"' : '',
        ].filter(Boolean);
        parts.push(
          `<text x="${x}" y="${baseline}" textLength="${length}" xml:space="preserve" ${attributes.join(' ')}>${xml(piece)}</text>`,
        );
      }
      column += width;
    }
    columns = Math.max(columns, column);
  }
  const width = Math.ceil(columns * CELL + 2 * PAD);
  const height = lines.length * LINE + 2 * PAD;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" role="img"><title>${xml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
${parts.join('\n')}
</svg>
`;
}
