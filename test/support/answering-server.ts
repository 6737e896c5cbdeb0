import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server that isn't SQS does with a request. */
export type Answer =
  | { status: number; body?: string; type?: string; headers?: Record<string, string> }
  /** Takes the whole request and breaks the connection. */
  | 'cut'
  /** Takes the request and never answers. */
  | 'silent';

/** A server that answers every call as it is told, and keeps what it was asked. */
export interface AnsweringServer {
  readonly endpoint: string;
  /** The API actions asked for, in order. */
  readonly calls: string[];
  answer: Answer | ((call: string, body: string) => Answer);
  close(): Promise<void>;
}

export async function startAnswering(answer: AnsweringServer['answer']): Promise<AnsweringServer> {
  const server: Server = createServer((request, response) => {
    const call = String(request.headers['x-amz-target'] ?? '').replace(/^AmazonSQS\./, '');
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      answering.calls.push(call);
      const now = typeof answering.answer === 'function' ? answering.answer(call, body) : answering.answer;
      if (now === 'silent') return;
      if (now === 'cut') return request.socket.destroy();
      response.writeHead(now.status, { 'content-type': now.type ?? 'application/x-amz-json-1.0', ...now.headers });
      response.end(now.body ?? '{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answering: AnsweringServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return answering;
}

/** A refusal as SQS writes it. */
export function refusal(code: string, message: string, status = 400): Answer {
  return {
    status,
    body: JSON.stringify({ __type: `com.amazonaws.sqs#${code.split('.').at(-1)}`, message }),
    headers: { 'x-amzn-query-error': `${code};Sender` },
  };
}
