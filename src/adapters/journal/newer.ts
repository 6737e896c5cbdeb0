import { BabelqError } from '../../model/errors.ts';

/** @throws BabelqError `journal` for a schema of a later version than this babelq knows: what it means nobody here can tell */
export function refuseNewer(location: string, version: number, known: number): void {
  if (version <= known) return;
  throw new BabelqError(
    'journal',
    `The journal ${location} was written by a newer babelq (its schema is ${version}, this one knows ${known}).`,
    { hint: 'Update babelq on this machine, or name another journal with --journal.' },
  );
}
