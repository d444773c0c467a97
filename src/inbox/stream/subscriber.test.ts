import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nowhere } from '../../events/activity/position.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { newId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { Subscriber } from './subscriber.ts';

const server = createServer();
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A stream whose reader receives nothing until the test lets it. */
async function openSlow(): Promise<{ client: Socket; response: ServerResponse; subscriber: Subscriber }> {
  const requested = once(server, 'request') as Promise<[unknown, ServerResponse]>;
  // The server listens on TCP, so its address is an object.
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [, response] = await requested;
  const holder = {
    ...machineScope(newId<WorkspaceId>()),
    userId: newId<UserId>(),
    sessionId: newId(),
    keyId: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
  return { client, response, subscriber: new Subscriber(response, holder, nowhere) };
}

/** Fills the system's buffers, and a little more, which waits in the process. */
async function fill({ response, subscriber }: { response: ServerResponse; subscriber: Subscriber }): Promise<void> {
  const part = Buffer.alloc(8_192, '.');
  while (response.writableLength === 0) {
    subscriber.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(subscriber.isFull).toBe(false);
}

async function wasReset(client: Socket): Promise<void> {
  const [error] = await once(client.resume(), 'error');
  expect(error.code).toBe('ECONNRESET');
}

const soonMs = () => performance.now() + 29_000;
const lateMs = () => performance.now() + 31_000;

test('a reader that receives nothing is disconnected, even with little data, which the system drops', async () => {
  const slow = await openSlow();
  await fill(slow);
  slow.subscriber.beat(performance.now());
  slow.subscriber.beat(soonMs());
  expect(slow.subscriber.isClosed).toBe(false);
  slow.subscriber.beat(lateMs());
  expect(slow.subscriber).toMatchObject({ isClosed: true, endedBy: 'stalled' });
  await wasReset(slow.client);
});

test('a slow reader is not disconnected', async () => {
  const slow = await openSlow();
  await fill(slow);
  slow.subscriber.beat(performance.now());
  slow.client.resume();
  await vi.waitFor(() => expect(slow.response.writableLength).toBe(0), 30_000);
  slow.subscriber.beat(lateMs());
  expect(slow.subscriber.isClosed).toBe(false);
  slow.client.destroy();
});

test('a reader that does not receive the end of the stream is disconnected as well', async () => {
  const slow = await openSlow();
  await fill(slow);
  slow.subscriber.beat(performance.now());
  slow.subscriber.end(new AppError('workspace.forbidden'));
  slow.subscriber.beat(lateMs());
  expect(slow.subscriber.endedBy).toBe('workspace.forbidden');
  await wasReset(slow.client);
});
