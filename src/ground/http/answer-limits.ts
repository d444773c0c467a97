import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { openFairQueue } from '../lib/fair-queue.ts';
import { nilId, type WorkspaceId } from '../lib/ids.ts';
import type { Server } from './http.ts';

type AnswerLimits = {
  /** The limit for unsent answers plus the expected answers of running reads. */
  heldBytesMax: number;
  /** How many large reads run at once, however small their answers are. */
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

/** Smaller answers fit into the system's socket buffers, so they are not counted. */
const countedFromBytes = 64 * 1024;
/**
 * The expected size of an answer is the size of the largest recent answer. Each smaller answer lowers it by this
 * factor.
 */
const decay = 0.95;

/**
 * Bounds the memory of answers. A read of a route with `isLarge` waits while unread answers and running reads may
 * exceed the limit. Workspaces take turns. After `waitMs` the read is refused with 503.
 * Many requests for a large ticket therefore cannot exhaust the memory or block the event loop.
 * @returns the bytes held at this moment
 */
export function installAnswerLimits(server: Server, limits: AnswerLimits = answerLimitsDefault): () => number {
  const room = openRoom(limits);
  const lockWorkspace = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { workspaceId = nilId } = request.params as { workspaceId?: WorkspaceId };
    // Covers clients that disconnect and answers that bypass `send`.
    reply.raw.once('close', () => room.endReading(reply));
    const waiting = room.beginReading(reply, workspaceId);
    if (waiting === undefined) done();
    else waiting.then(() => done(), done);
  };
  server.addHook('onRoute', (route) => {
    if (route.config?.isLarge) route.preHandler = [lockWorkspace, ...[route.preHandler ?? []].flat()];
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
    if (bytes >= countedFromBytes) {
      room.hold(reply, bytes);
      // Node restarts this socket timer whenever the client reads something.
      reply.raw.setTimeout(limits.stalledMs, () => reply.raw.destroy());
    }
    room.endReading(reply, bytes);
    done(null, payload);
  });
  return room.heldBytes;
}

type Room = {
  /** @returns a promise if the read must wait. The promise rejects after `waitMs` or when the client disconnects. */
  beginReading(reply: FastifyReply, workspaceId: WorkspaceId): Promise<void> | undefined;
  /** @param bytes the size of the answer; undefined when there is no answer */
  endReading(reply: FastifyReply, bytes?: number): void;
  /** Counts an answer until its connection closes or has sent it. */
  hold(reply: FastifyReply, bytes: number): void;
  heldBytes(): number;
};

function openRoom({ heldBytesMax, readsMax, waitMs }: AnswerLimits): Room {
  const waiting = openFairQueue<() => void>();
  const readers = new Set<FastifyReply>();
  let held = 0;
  let reckonedBytes = 0;
  const hasRoom = () =>
    readers.size < readsMax &&
    // When no answer is held, one read always starts, because a single answer may exceed the limit.
    (readers.size + held === 0 || held + (readers.size + 1) * reckonedBytes <= heldBytesMax);
  const admit = () => {
    while (hasRoom()) {
      const next = waiting.shift();
      if (next === undefined) return;
      next();
    }
  };
  const waitForTurn = (reply: FastifyReply, workspaceId: WorkspaceId): Promise<void> =>
    new Promise((resolve, reject) => {
      const refuse = () => {
        withdraw();
        clearTimeout(timer);
        reject(new AppError('unavailable', {}, { headers: { 'retry-after': '2' } }));
      };
      const withdraw = waiting.push(workspaceId, () => {
        clearTimeout(timer);
        reply.raw.off('close', refuse);
        readers.add(reply);
        resolve();
      });
      const timer = setTimeout(refuse, waitMs);
      reply.raw.once('close', refuse);
    });
  return {
    beginReading: (reply, workspaceId) => {
      if (!hasRoom()) return waitForTurn(reply, workspaceId);
      readers.add(reply);
      return undefined;
    },
    endReading: (reply, bytes) => {
      if (!readers.delete(reply)) return;
      if (bytes !== undefined) reckonedBytes = Math.max(bytes, reckonedBytes * decay);
      admit();
    },
    hold: (reply, bytes) => {
      held += bytes;
      reply.raw.once('close', () => {
        held -= bytes;
        admit();
      });
    },
    heldBytes: () => held,
  };
}
