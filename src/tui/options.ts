/** What the screens are given of the process. */
export interface TuiOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WritableStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether colours are wanted. */
  color: boolean;
  /** Reads a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  /** How many failures are listed of each source. */
  limit: number | 'all';
  /** Aborts when the process is told to end (SIGTERM, SIGHUP, SIGINT from elsewhere). */
  signal: AbortSignal;
  /** Ends the process, where the person didn't want to wait. */
  exitNow: (code: number) => void;
}
