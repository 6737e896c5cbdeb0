import { createReadStream, open } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/**
 * Opens a pipe that has a name, such as a shell puts in for `<(zcat …)`. It can be read once, and waiting for its writer blocks
 * no thread: the process couldn't end before that thread does.
 * @throws Error as the system has it
 */
export async function openPipe(path: string): Promise<Readable> {
  const fd = await promisify(open)(path, 'r');
  try {
    return new Socket({ fd, readable: true, writable: false });
  } catch {
    // A device, which is no pipe.
    return createReadStream(path, { fd });
  }
}
