export const OUTPUTS = ['table', 'json', 'ndjson', 'csv', 'ids', 'prometheus'] as const;
export type Output = (typeof OUTPUTS)[number];

/** What a command prints unless its spec says otherwise. */
export const USUAL_OUTPUTS: readonly Output[] = ['table', 'json', 'ndjson', 'csv', 'ids'];

/** The options that every command takes, before or after its name. */
export interface GlobalOptions {
  config?: string;
  source: string[];
  sqs: string[];
  jadpo: string[];
  journal?: string;
  timeout?: string;
  output: Output;
  allowReceive: boolean;
  color: boolean;
  quiet: boolean;
  verbose: boolean;
}
