export const OUTPUTS = ['table', 'json', 'ndjson', 'csv', 'ids'] as const;
export type Output = (typeof OUTPUTS)[number];

/** The options that every command takes, before or after its name. */
export interface GlobalOptions {
  config?: string;
  source: string[];
  sqs: string[];
  jadpo: string[];
  journal?: string;
  output: Output;
  allowReceive: boolean;
  color: boolean;
  quiet: boolean;
  verbose: boolean;
}
