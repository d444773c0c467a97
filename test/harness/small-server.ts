import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers with a function, until closed. */
export async function openServer(answer: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // The server listens on TCP, so its address is an object.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A notification endpoint that echoes the validation token of a provider. */
export function openEndpoint(): Promise<{ url: string; close(): Promise<void> }> {
  return openServer((request, response) => {
    const token = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('validationToken') ?? '';
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' }).end(token);
  });
}
