import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** A real HTTP server that receives webhooks and answers as the test says. */
export type Receiver = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Received requests, oldest first. */
  received: Received[];
  /** The answer from now on: a status, or a function that handles the response. */
  answer: number | ((response: ServerResponse) => void);
};

/** Call at the top of a test file. */
export function useReceiver(): Receiver {
  const receiver = { received: [] as Received[], answer: 200 } as unknown as Receiver;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      receiver.received.push({ path: request.url ?? '', headers: request.headers, body });
      const { answer } = receiver;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(response);
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    Object.assign(receiver, { url: `http://127.0.0.1:${port}`, port });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
