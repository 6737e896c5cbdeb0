/** The shells that babelq completes in. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The word after `babelq` by which their scripts ask. */
export const ASKED_BY = '__complete';
