import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { openFairQueue } from '../lib/fair-queue.ts';
import type { Server } from './http.ts';

type AnswerLimits = {
  /** Of all answers that were written and not yet sent; so much more may be read for those under way. */
  heldBytesMax: number;
  /** Large reads that run at once, however small they prove. */
  readsMax: number;
  /** How long a read waits for room. */
  waitMs: number;
  /** A client that takes nothing of its answer for so long is cut off, as a stream's is. */
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
/** What a read is reckoned to bring: as much as the largest lately, which fades with each that brings less. */
const fading = 0.95;

/**
 * Bounds what answers hold. Reads of routes that declare `isLarge` wait, workspaces in turn, while answers that clients do not read
 * hold too much, or while the reads under way may bring as much; after a while they are refused with 503. So a crowd that asks for a large
 * ticket takes neither the memory nor the event loop from everybody else.
 * @returns the bytes held at this moment
 */
export function installAnswerLimits(server: Server, limits: AnswerLimits = answerLimitsDefault): () => number {
  const waiting = openFairQueue<() => void>();
  let held = 0;
  let reading = 0;
  let reckonedBytes = 0;
  const hasRoom = () =>
    reading < limits.readsMax &&
    // One is always let in when nothing is held: it may be larger than the limit.
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
      // One that was broken off, or whose answer was not written by `send`.
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
      reckonedBytes = Math.max(bytes, reckonedBytes * fading);
    }
    if (bytes >= countedFromBytes) {
      held += bytes;
      reply.raw.once('close', () => {
        held -= bytes;
        admit();
      });
      // Node's own timer of the socket: it begins anew whenever the client has taken something.
      reply.raw.setTimeout(limits.stalledMs, () => reply.raw.destroy());
    }
    if (isReader) admit();
    done(null, payload);
  });
  return () => held;
}
