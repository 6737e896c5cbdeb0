/**
 * Makes the README's pictures from babelq's real output, in a real terminal (tmux) on the demo's servers:
 * `npm run pictures` writes docs/images/*.svg.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openWorld, type World } from '../demo/world.ts';
import { toSvg } from './ansi-svg.ts';

const BIN = resolve(import.meta.dirname, '../dist/babelq.js');
const IMAGES = resolve(import.meta.dirname, '../docs/images');
const SOCKET = `babelq-pictures-${process.pid}`;

const tmux = (...args: string[]): string => execFileSync('tmux', ['-L', SOCKET, ...args], { encoding: 'utf8' });

function start(world: World, columns: number, rows: number, command: string): void {
  const environment = Object.entries(world.environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const shell = ['env', '-u', 'CI', '-u', 'NO_COLOR', 'sh', '-c', command];
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), ...environment, ...shell);
  tmux('set-option', '-g', 'status', 'off');
}

async function shows(text: string): Promise<string> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (tmux('capture-pane', '-p').includes(text)) {
      // What is drawn in several pieces is whole when it has stopped changing.
      let before = '';
      for (let now = tmux('capture-pane', '-e', '-p'); now !== before; now = tmux('capture-pane', '-e', '-p')) {
        before = now;
        await pause(300);
      }
      return before;
    }
    await pause(100);
  }
  throw new Error(`The terminal never showed "${text}":\n${tmux('capture-pane', '-p')}`);
}

function write(name: string, title: string, screen: string): void {
  writeFileSync(resolve(IMAGES, `${name}.svg`), toSvg(screen, title));
  process.stdout.write(`docs/images/${name}.svg\n`);
}

mkdirSync(IMAGES, { recursive: true });
const world = await openWorld();
const babelq = `"${process.execPath}" "${BIN}"`;
try {
  const shown = '$ babelq deliveries --limit 6';
  start(world, 136, 40, `echo '${shown}'; ${babelq} deliveries --limit 6; sleep 600`);
  write('deliveries', 'babelq deliveries', await shows('Look closer'));
  tmux('kill-server');

  start(world, 100, 26, babelq);
  write('screens', 'The screens of babelq: what failed, by cause', await shows('nothing is held'));
  tmux('send-keys', '/');
  tmux('send-keys', '-l', 'reason:unknown_urn');
  tmux('send-keys', 'Enter');
  await shows('8 of ');
  tmux('send-keys', 'a');
  tmux('send-keys', 'r');
  write('confirm', 'Retrying a selection asks first', await shows('[y/n]'));
  tmux('kill-server');

  start(world, 132, 30, babelq);
  await shows('nothing is held');
  for (const key of ['Enter', 'Enter', 'BTab']) {
    tmux('send-keys', key);
    await pause(500);
  }
  write('failure', 'One failure, with its body', await shows('Fix first'));
} finally {
  try {
    tmux('kill-server');
  } catch {
    // It ended by itself.
  }
  await world.close();
}
