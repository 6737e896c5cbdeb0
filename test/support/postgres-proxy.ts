import { connect, createServer, type Socket } from 'node:net';

/** What is done to a connection as soon as something the client sends has the text in it. */
interface Cut {
  text: string;
  /** `before`: the server never hears it. `after`: the server hears it, and its answer is lost. */
  when: 'before' | 'after';
  /** Nobody gets through any more afterwards. */
  forGood?: boolean;
}

/** A network between a client and a PostgreSQL server (without TLS) that can be cut at a word. */
export interface PostgresProxy {
  /** The server's address, through here. */
  readonly url: string;
  /** The next connection that says this is cut, once. */
  cutAt(cut: Cut): void;
  /** Lets nobody through any more. */
  close(): Promise<void>;
}

export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let next: Cut | null = null;
  let isShut = false;
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        if (socket === upstream) return;
        // What was said before the cut still arrives.
        upstream.end();
      });
    }
    upstream.on('data', (data) => client.write(data));
    client.on('data', (data) => {
      if (next === null || !data.includes(next.text)) {
        upstream.write(data);
        return;
      }
      const { when, forGood = false } = next;
      next = null;
      isShut = forGood;
      if (when === 'before') {
        client.destroy();
        return;
      }
      upstream.removeAllListeners('data');
      // The server has carried it out once it answers.
      upstream.once('data', () => client.destroy());
      upstream.write(data);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const through = new URL(url);
  through.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    url: through.href,
    cutAt: (cut) => {
      next = cut;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
