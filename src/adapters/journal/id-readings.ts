/** The ways an id may be cut into its source and its native id: both may hold slashes. */
export function readingsOf(id: string): [source: string, nativeId: string][] {
  const readings: [string, string][] = [];
  for (let at = id.indexOf('/'); at !== -1; at = id.indexOf('/', at + 1)) {
    readings.push([id.slice(0, at), id.slice(at + 1)]);
  }
  return readings;
}
