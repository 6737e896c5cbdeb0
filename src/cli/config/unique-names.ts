import { BabelqError } from '../../model/errors.ts';

/** Ids start with the name of their source. @throws BabelqError `config` where two have the same */
export function refuseSameNames(sources: readonly { name: string; place: string | undefined }[]): void {
  const seen = new Map<string, string | undefined>();
  for (const { name, place } of sources) {
    if (seen.has(name)) {
      const earlier = seen.get(name);
      const where = place === undefined ? '' : `${place}: `;
      const what =
        earlier === undefined ? `two sources are named ${name}` : `the name ${name} is given to ${earlier} already`;
      throw new BabelqError(
        'config',
        `${where}${where === '' ? what.charAt(0).toUpperCase() + what.slice(1) : what}.`,
        {
          hint: 'Ids start with the name of their source: give one of them another name: in babelq.yaml.',
        },
      );
    }
    seen.set(name, place);
  }
}
