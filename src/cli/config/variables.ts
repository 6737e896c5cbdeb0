/** `$${`, which stands for a plain `${`; else `${NAME}`, or a `${` that names nothing or is never closed. */
const PIECE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g;

/** The same as one pattern for a whole text, for who only sees the file: JSON Schema. */
export const WELL_WRITTEN = '^(?:\\$\\$\\{|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}|(?!\\$\\{|\\$\\$\\{)[\\s\\S])*$';
/** Where a variable stands in it, so that what it comes to isn't known from the file alone. */
export const HAS_VARIABLE = '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}';

export interface Filled {
  text: string;
  /** Their names, as often as they were put in. */
  variables: string[];
}

/** What is wrong with a text that holds variables. */
export interface Unfilled {
  /** The variable that isn't set; null where a `${` names none. */
  missing: string | null;
}

/** Puts the environment's values in for `${NAME}`. An empty variable counts as one that isn't set. */
export function fillIn(text: string, env: Readonly<Record<string, string | undefined>>): Filled | Unfilled {
  const variables: string[] = [];
  let wrong: Unfilled | undefined;
  const filled = text.replace(PIECE, (piece, name: string | undefined) => {
    if (piece === '$${') return '${';
    const value = name === undefined ? undefined : env[name];
    if (value === undefined || value === '') {
      wrong ??= { missing: name ?? null };
      return '';
    }
    variables.push(name ?? '');
    return value;
  });
  return wrong ?? { text: filled, variables };
}
