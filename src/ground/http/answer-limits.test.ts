import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { installAnswerLimits } from './answer-limits.ts';
import { installFaults } from './faults.ts';
import type { Server } from './http.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Larger than the system's socket buffers, so that a client that does not read holds the answer back. */
const answerBytes = 16 * 1024 * 1024;

async function listen(limits: Partial<Parameters<typeof installAnswerLimits>[1]> = {}) {
  const server = Fastify() as unknown as Server;
  const reads: string[] = [];
  let arrived = 0;
  let gone = 0;
  installFaults(server);
  const heldBytes = installAnswerLimits(server, {
    heldBytesMax: 3 * answerBytes,
    readsMax: 4,
    waitMs: 60_000,
    stalledMs: 60_000,
    ...limits,
  });
  server.addHook('preValidation', (_request, reply, done) => {
    arrived++;
    reply.raw.once('close', () => gone++);
    done();
  });
  server.get<{ Params: { workspaceId: string } }>(
    '/large/:workspaceId',
    { config: { isLarge: true } },
    async ({ params }) => {
      reads.push(params.workspaceId);
      return params.workspaceId === 'accented' ? 'é'.repeat(answerBytes / 2) : 'x'.repeat(answerBytes);
    },
  );
  server.get('/small', async () => 'small');
  await server.listen({ host: '127.0.0.1', port: 0 });
  closers.push(() => server.close());
  // The server listens on TCP, so its address is an object.
  const { port } = server.server.address() as { port: number };
  /** Sends a request, and reads nothing until the test says so. */
  const ask = (workspaceId = 'w'): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).pause();
    socket.write(`GET /large/${workspaceId} HTTP/1.1\r\nhost: x\r\n\r\n`);
    closers.push(() => socket.destroy());
    return socket;
  };
  return {
    ask,
    heldBytes,
    reads: () => reads,
    arrived: () => arrived,
    gone: () => gone,
    url: `http://127.0.0.1:${port}`,
  };
}

test('many clients that do not read large answers never hold more than the limit or block others', async () => {
  const { ask, heldBytes, reads, url } = await listen();
  ask();
  await expect.poll(heldBytes).toBe(answerBytes);
  for (let client = 0; client < 30; client++) ask();
  await expect.poll(heldBytes).toBe(3 * answerBytes);
  expect(await (await fetch(`${url}/small`)).text()).toBe('small');
  expect(reads()).toHaveLength(3);
});

test('an answer counts by its bytes, not by its characters', async () => {
  const { ask, heldBytes } = await listen();
  ask('accented');
  await expect.poll(heldBytes).toBe(answerBytes);
});

test('a client that reads makes room for the next read, and workspaces take turns', async () => {
  const { ask, heldBytes, reads, arrived } = await listen({ heldBytesMax: answerBytes });
  const first = ask('noisy');
  await expect.poll(heldBytes).toBe(answerBytes);
  for (let client = 0; client < 5; client++) ask('noisy').resume();
  await expect.poll(arrived).toBe(6);
  ask('quiet').resume();
  await expect.poll(arrived).toBe(7);
  first.resume();
  await expect.poll(() => reads().slice(0, 3)).toEqual(['noisy', 'noisy', 'quiet']);
});

test('a read that finds no room in time is refused with 503 and Retry-After', async () => {
  const { ask, heldBytes, url } = await listen({ heldBytesMax: answerBytes, waitMs: 50 });
  ask();
  await expect.poll(heldBytes).toBe(answerBytes);
  const refused = await fetch(`${url}/large/w`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
});

test('a client that reads nothing of its answer is disconnected, and its memory is free again', async () => {
  const { ask, heldBytes, reads } = await listen({ stalledMs: 100 });
  const socket = ask();
  await expect.poll(reads).toHaveLength(1);
  await expect.poll(heldBytes).toBe(0);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  await closed;
});

test('a client that disconnects while it waits leaves its place to others', async () => {
  const { ask, heldBytes, reads, arrived, gone } = await listen({ heldBytesMax: answerBytes });
  const holder = ask('holder');
  await expect.poll(heldBytes).toBe(answerBytes);
  const leaver = ask('leaver');
  ask('stayer').resume();
  await expect.poll(arrived).toBe(3);
  leaver.destroy();
  await expect.poll(gone).toBe(1);
  holder.destroy();
  await expect.poll(heldBytes).toBe(0);
  await expect.poll(reads).toEqual(['holder', 'stayer']);
});
