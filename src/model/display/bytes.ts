const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** A size as a person reads it, in powers of 1,024: `812 bytes`, `1.4 MB`, `12 GB`. */
export function bytes(count: number): string {
  if (count < 1024) return count === 1 ? '1 byte' : `${count} bytes`;
  let size = count;
  let unit: string = '';
  for (const next of UNITS) {
    if (size < 1023.5) break;
    size /= 1024;
    unit = next;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
