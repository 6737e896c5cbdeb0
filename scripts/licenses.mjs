// The licences of the packages that the bundle holds, as they ask for: they are part of what is distributed.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {Iterable<string>} inputs the bundle's input files, from the project's root
 * @returns {Promise<string>} one text: each package's name, version and licence
 */
export async function licencesOf(inputs) {
  const folders = new Set();
  const files = [...inputs].filter((input) => !input.startsWith('builtin:'));
  for (const input of files) {
    const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (folder !== undefined) folders.add(folder);
  }
  const texts = await Promise.all([...folders].map(licenceOf));
  return [...new Set(texts)].sort().join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return `${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`;
}
