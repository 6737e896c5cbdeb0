/** `12,000`. */
export function sayCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 row`, `12,000 rows`; `many` where an s is not enough. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${sayCount(count)} ${count === 1 ? one : many}`;
}

/** `1 message`, `12,000 messages`. */
export function messages(count: number): string {
  return counted(count, 'message');
}

/** How much of a queue was met: `400 of about 12,000`; `400` where it isn't known how many there are. */
export function ofAbout(met: number, about: number | null): string {
  return about === null ? sayCount(met) : `${sayCount(met)} of about ${sayCount(about)}`;
}

/** What is being given back: `Letting go of orders: 240 left`. @param source escaped */
export function lettingGo(source: string, left: number): string {
  return `Letting go of ${source}: ${sayCount(left)} left`;
}
