import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { openFairQueue } from '../lib/fair-queue.ts';
import type { Server } from './http.ts';

type AnswerLimits = {
  /** For all answers that are written but not sent yet, and the expected answers of the reads that run. */
  heldBytesMax: number;
  /** Large reads that run at once, however small their answers are. */
  readsMax: number;
  /** How long a read may wait. */
  waitMs: number;
  /** A client that reads nothing of its answer for this long is disconnected. */
  stalledMs: number;
};

const answerLimitsDefault: AnswerLimits = {
  heldBytesMax: 64 * 1024 * 1024,
  readsMax: 16,
  waitMs: 10_000,
  stalledMs: 30_000,
};

/** Smaller answers fit into the system's buffers, and are not counted. */
const countedFromBytes = 64 * 1024;
/** The expected size of an answer is that of the largest recent one; each smaller answer lowers it by this factor. */
const decay = 0.95;

/**
 * Bounds the memory of answers. A read of a route with `isLarge` waits, workspaces in turn, while unread answers hold too much, or
 * while the reads that run may exceed the limit. After `waitMs` it is refused with 503. So many requests for a large ticket take
 * neither the memory nor the event loop from everybody else.
 * @returns the bytes held at this moment
 */
export function installAnswerLimits(server: Server, limits: AnswerLimits = answerLimitsDefault): () => number {
  const waiting = openFairQueue<() => void>();
  let held = 0;
  let reading = 0;
  let reckonedBytes = 0;
  const hasRoom = () =>
    reading < limits.readsMax &&
    // When nothing is held, one read always starts: its answer may be larger than the limit.
    (reading + held === 0 || held + (reading + 1) * reckonedBytes <= limits.heldBytesMax);
  const admit = () => {
    while (hasRoom()) {
      const next = waiting.shift();
      if (next === undefined) return;
      next();
    }
  };

  const readers = new WeakSet<FastifyReply>();
  const begin = (reply: FastifyReply) => {
    reading++;
    readers.add(reply);
  };
  const endReading = (reply: FastifyReply) => {
    if (readers.delete(reply)) reading--;
  };
  const takeTurn = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    reply.raw.once('close', () => {
      // For a client that disconnects, and an answer that bypasses `send`.
      endReading(reply);
      admit();
    });
    if (!hasRoom()) {
      waitForTurn(request, reply).then(() => done(), done);
      return;
    }
    begin(reply);
    done();
  };
  const waitForTurn = ({ params }: FastifyRequest, reply: FastifyReply): Promise<void> =>
    new Promise((resolve, reject) => {
      const { workspaceId = '' } = params as { workspaceId?: string };
      const refuse = () => {
        withdraw();
        clearTimeout(timer);
        reject(new AppError('unavailable', {}, { headers: { 'retry-after': '2' } }));
      };
      const withdraw = waiting.push(workspaceId, () => {
        clearTimeout(timer);
        reply.raw.off('close', refuse);
        begin(reply);
        resolve();
      });
      const timer = setTimeout(refuse, limits.waitMs);
      reply.raw.once('close', refuse);
    });

  server.addHook('onRoute', (route) => {
    if (route.config?.isLarge) route.preHandler = [takeTurn, ...[route.preHandler ?? []].flat()];
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    const isReader = readers.has(reply);
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
    if (isReader) {
      endReading(reply);
      reckonedBytes = Math.max(bytes, reckonedBytes * decay);
    }
    if (bytes >= countedFromBytes) {
      held += bytes;
      reply.raw.once('close', () => {
        held -= bytes;
        admit();
      });
      // Node restarts this timer of the socket whenever the client reads something.
      reply.raw.setTimeout(limits.stalledMs, () => reply.raw.destroy());
    }
    if (isReader) admit();
    done(null, payload);
  });
  return () => held;
}
