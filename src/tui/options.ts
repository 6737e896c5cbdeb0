/** A text in a private file, for the person's own editor. */
interface EditorFile {
  /** Resolves when the editor was closed. @throws BabelqError `refused`; Interrupted */
  edit(): Promise<void>;
  /** What was saved; null where it isn't UTF-8. */
  read(): string | null;
  remove(): void;
}

/** @param ending what the editor may tell the kind of text by */
export type OpenEditor = (text: string, ending: 'json' | 'txt') => EditorFile;

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
  openEditor: OpenEditor;
  /** Keeps what is shown hidden from everyone else, from the start. */
  hold: boolean;
  /** Aborts when the process is told to end (SIGTERM, SIGHUP, SIGINT from elsewhere). */
  signal: AbortSignal;
  /** Ends the process, where the person didn't want to wait. */
  exitNow: (code: number) => void;
}
