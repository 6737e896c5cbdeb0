/** Writes the manual page into dist/man, from the help: `npm run man`; the build does it too. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { manPage } from '../src/cli/man-page.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
mkdirSync('dist/man', { recursive: true });
writeFileSync('dist/man/babelq.1', manPage(version));
