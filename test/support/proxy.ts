import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

/** A proxy as companies have them: it forwards plain requests, and tunnels the others by CONNECT. */
export interface TestProxy {
  readonly url: string;
  /** What it was asked to do: `GET http://…` or `CONNECT host:port`. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** @param ports where the hosts that only the proxy knows are, on 127.0.0.1 */
export async function startProxy(ports: Readonly<Record<string, number>>): Promise<TestProxy> {
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    proxy.asked.push(`${request.method} ${url.origin}`);
    const onward = send(
      {
        host: '127.0.0.1',
        port: ports[url.hostname],
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, socket: Duplex, head: Buffer) => {
    proxy.asked.push(`CONNECT ${request.url}`);
    const [host = ''] = String(request.url).split(':');
    const onward = connect(ports[host] ?? 1, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [onward, socket]) {
      sockets.add(one);
      one.on('error', () => socket.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** Certificates are made by openssl. */
export const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

/** A server that speaks TLS with a certificate nobody knows, before one that doesn't. */
export interface TlsFront {
  readonly port: number;
  /** The file of its certificate. */
  readonly certificate: string;
  close(): Promise<void>;
}

export async function startTlsFront(behind: string, host: string, folder: string): Promise<TlsFront> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const how = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...how, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const { method, headers } = request;
    const onward = send(new URL(request.url ?? '/', behind), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    certificate,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
