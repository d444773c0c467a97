import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers as it is told to, until it is closed. */
export async function openServer(answer: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on TCP
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers whoever asks whether it is there, as a provider does of an address for notifications. */
export function openEndpoint(): Promise<{ url: string; close(): Promise<void> }> {
  return openServer((request, response) => {
    const token = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('validationToken') ?? '';
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' }).end(token);
  });
}
