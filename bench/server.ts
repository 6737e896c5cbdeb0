/** An emulator in a process of its own, so that it doesn't share a core with what is measured. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startFauxqs } from '../test/support/servers.ts';
import { deadLettered } from '../test/support/shapes.ts';

export interface BenchServer {
  endpoint: string;
  environment: Record<string, string>;
  /** Makes `<name>-dlq` with so many failed orders on it, and an empty `<name>`. */
  seed(name: string, messages: number): Promise<void>;
  close(): void;
}

interface Seeding {
  name: string;
  messages: number;
}

export async function startServer(): Promise<BenchServer> {
  const child = fork(import.meta.filename, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [ready] = (await once(child, 'message')) as [{ endpoint: string; environment: Record<string, string> }];
  return {
    ...ready,
    async seed(name, messages) {
      child.send({ name, messages } satisfies Seeding);
      await once(child, 'message');
    },
    close: () => child.kill(),
  };
}

async function serve(): Promise<void> {
  const server = await startFauxqs();
  process.on('message', async ({ name, messages }: Seeding) => {
    await server.createQueue(`${name}-dlq`);
    await server.createQueue(name);
    const failedAt = Date.now() - 3_600_000;
    for (let nth = 0; nth < messages; nth += 1) {
      const id = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
      const order = deadLettered({
        queue: name,
        data: `{"order_id":${nth},"note":"${'x'.repeat(600)}"}`,
        id,
        trace: id,
        createdAt: failedAt - 3000,
        deadLetter: {
          reason: 'failed',
          error: `Gateway timeout for order ${nth}`,
          exception: 'GatewayTimeout',
          failedAt,
        },
      });
      server.put(`${name}-dlq`, { ...order, sentAt: failedAt });
    }
    process.send?.('seeded');
  });
  process.send?.({ endpoint: server.endpoint, environment: server.environment });
}

if (process.argv[2] === 'serve') await serve();
