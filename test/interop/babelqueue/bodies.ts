/** What apps publish, and what isn't theirs: bodies as texts, so that it can be seen whether each byte came back. */

export const CREATED = 'urn:babel:orders:created';
export const RENAMED = 'urn:babel:orders:renamed';

/** Numbers and texts that a parser that writes anew would change. */
export const DATA =
  '{"big":12345678901234567890123,"id":9007199254740993,"total":99.90,"one":1.0,"int":1,"exp":1E2,"neg":-0,' +
  '"2":"b","10":"a","text":"caf\\u00e9 \\/ \\ud83d\\ude00"}';

export const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

interface Parts {
  urn?: string;
  data?: string;
  id?: string;
  trace?: string;
  version?: string;
  attempts?: number;
}

/** An envelope as another SDK publishes it. */
export function envelope(
  queue: string,
  { urn = CREATED, data = DATA, id, trace, version = '1', attempts = 0 }: Parts,
): string {
  return (
    `{"job":"${urn}","trace_id":"${trace ?? '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b'}","data":${data},` +
    `"meta":{"id":"${id ?? 'f1e2d3c4-b5a6-4789-90ab-cdef01234567'}","queue":"${queue}","lang":"go",` +
    `"schema_version":${version},"created_at":1749132727000},"attempts":${attempts}}`
  );
}
