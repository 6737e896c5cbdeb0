/** What the demo runs on: an SQS-compatible server in this process and a jadpo app's database, both with failures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJadpoFile, parkedExamples, parkedRow } from '../test/support/jadpo-table.ts';
import { type SqsServer, startLocalAwsSqs } from '../test/support/servers.ts';
import { allShapes, deadLettered, published } from '../test/support/shapes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface World {
  /** Holds babelq.yaml, the jadpo database and the journal; removed on close. */
  folder: string;
  /** What a shell needs so that any `babelq …` works on these servers. */
  environment: Record<string, string>;
  /** The message that the tour retries. */
  orderId: string;
  server: SqsServer;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-demo-'));
  const server = await startLocalAwsSqs();
  const now = Date.now();
  const orderId = await seedQueues(server, now);
  createJadpoFile(join(folder, 'warehouse.sqlite'), [...parkedExamples(now), ...parkedFlood(now)]);
  const config = join(folder, 'babelq.yaml');
  writeFileSync(config, CONFIG);
  return {
    folder,
    environment: {
      ...server.environment,
      BABELQ_CONFIG: config,
      BABELQ_JOURNAL: join(folder, 'journal.db'),
      BABELQ_OPERATOR: 'demo',
    },
    orderId,
    server,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CONFIG = `# The sources of the demo. Credentials and the endpoint come from the environment.
sources:
  - name: orders
    sqs: orders-dlq
  - name: payments
    sqs: payments-dlq
  - name: shipments
    sqs: shipments-dlq.fifo
  - name: warehouse
    jadpo: ./warehouse.sqlite
`;

/** What was parked when an event began to require a total that its producer doesn't send. */
function parkedFlood(now: number) {
  return Array.from({ length: 24 }, (_, nth) =>
    parkedRow({
      id: `q${100 + nth}`,
      message_id: String(9800 + nth),
      body: `{"id":${9800 + nth},"type":"order.shipped","data":{"order_id":${1100 + nth},"carrier":"DHL"}}`,
      parked_at: new Date(now - 75 * MINUTE - nth * 20_000).toISOString(),
    }),
  );
}

/** Lays out three dead-letter queues, and answers the MessageId of an order whose payment timed out. */
async function seedQueues(server: SqsServer, now: number): Promise<string> {
  const days = (count: number) => ({ MessageRetentionPeriod: String(count * 86_400) });
  // Short, so that whoever waits for what comes back needn't wait long.
  const source = { ...days(4), VisibilityTimeout: '1' };
  await server.createQueue('orders-dlq', days(4));
  await server.createQueue('orders', source, { queue: 'orders-dlq', maxReceiveCount: 3 });
  await server.createQueue('payments-dlq', days(14));
  await server.createQueue('payments', source, { queue: 'payments-dlq', maxReceiveCount: 5 });
  await server.createQueue('shipments-dlq.fifo', days(14));
  await server.createQueue('shipments.fifo', source, { queue: 'shipments-dlq.fifo', maxReceiveCount: 3 });

  // Without what Python up to 1.22 made of a body that it couldn't decode: one lost body says enough.
  const [order, ...others] = allShapes('orders', now - 2 * HOUR).filter(({ shape }) => shape !== 'f');
  if (order === undefined) throw new Error('no shapes');
  const orderId = server.put('orders-dlq', { ...order, sentAt: now - 4 * DAY + 5 * HOUR + 5 * MINUTE });
  for (const [index, shaped] of others.entries()) {
    server.put('orders-dlq', { ...shaped, sentAt: now - 2 * HOUR - index * MINUTE });
  }
  for (let nth = 0; nth < 24; nth += 1) {
    const failedAt = now - 3 * HOUR + nth * 4 * MINUTE;
    const timedOut = nth % 3 !== 0;
    const { body, attributes } = deadLettered({
      urn: timedOut ? 'urn:babel:orders:created' : 'urn:babel:orders:voided',
      data: `{"order_id":${2000 + nth},"total":${(49.9 + nth).toFixed(2)},"currency":"EUR"}`,
      id: `5d0c6f1e-7a2b-4c3d-8e4f-0000000020${String(nth).padStart(2, '0')}`,
      trace: `9a8b7c6d-5e4f-4a3b-9c2d-0000000020${String(nth).padStart(2, '0')}`,
      createdAt: failedAt - 20_000,
      attempts: timedOut ? 3 : 1,
      deadLetter: timedOut
        ? {
            reason: 'failed',
            error: `Payment gateway timeout after ${5000 + nth} ms for order ${2000 + nth}`,
            exception: 'App\\Exceptions\\GatewayTimeout',
            failedAt,
          }
        : { reason: 'unknown_urn', error: 'No handler for urn:babel:orders:voided', exception: null, failedAt },
    });
    server.put('orders-dlq', { body, attributes, sentAt: failedAt });
  }

  for (let nth = 0; nth < 6; nth += 1) {
    const { body, attributes } = published({
      urn: 'urn:babel:payments:captured',
      data: `{"payment_id":${700 + nth},"amount":12.50}`,
      queue: 'payments',
      id: `1c2d3e4f-5a6b-4c7d-8e9f-0000000007${String(nth).padStart(2, '0')}`,
      createdAt: now - 26 * HOUR,
    });
    server.put('payments-dlq', {
      body,
      attributes,
      sentAt: now - 26 * HOUR - nth * HOUR,
      sourceArn: `arn:aws:sqs:${server.region}:${server.account}:payments`,
    });
  }
  for (let nth = 0; nth < 3; nth += 1) {
    const { body, attributes } = published({
      urn: 'urn:babel:shipments:packed',
      data: `{"parcel":"P-${300 + nth}"}`,
      queue: 'shipments',
      id: `3e4f5a6b-7c8d-4e9f-8a0b-0000000003${String(nth).padStart(2, '0')}`,
      createdAt: now - 5 * HOUR,
    });
    server.put('shipments-dlq.fifo', {
      body,
      attributes,
      groupId: `parcel-${nth}`,
      deduplicationId: `parcel-${nth}`,
      sentAt: now - 5 * HOUR,
      sourceArn: `arn:aws:sqs:${server.region}:${server.account}:shipments.fifo`,
    });
  }
  return orderId;
}
