import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { type ReadyHtml, readyHtml } from '../lib/html/ready-html.ts';
import { inTurnsOfEach } from '../lib/in-turns.ts';
import { openWorkerPool } from '../platform/worker-pool.ts';
import type { Server } from './http.ts';

/** Shorter HTML takes at most 60 ms, whatever it has. `bench/prove/hostile-holds.ts` measures it. */
const inPlaceCharsMax = 16 * 1024;
/** Twenty times what the most expensive HTML of a million characters takes on an idle processor. */
const secondsMax = 10;
const waitingMax = 100;

/**
 * Makes the long HTML of a request safe in a worker thread, before its handler and its transaction begin. There
 * `sanitizeHtml` and `textOfHtml` find the result. A workspace has one thread at a time, so that workspaces take turns.
 */
export function cleanLongHtml(server: Server): void {
  const pool = openWorkerPool<string[], ReadyHtml>({
    module: new URL('./long-html-worker.ts', import.meta.url),
    threadsMax: 2,
    waitingMax,
    heapMbMax: 128,
    secondsMax,
    niceness: 0,
  });
  const inTurn = inTurnsOfEach();
  server.addHook('onClose', pool.close);
  server.addHook('preHandler', (request, _reply, done) => {
    const htmls = longHtmlOf(request.body);
    if (htmls.length === 0) {
      done();
      return;
    }
    inTurn(ownerOf(request), () => pool.ask(htmls)).then(
      (ready) => readyHtml.run(ready, done),
      (cause) => done(cause instanceof AppError ? cause : new AppError('unavailable', {}, { cause })),
    );
  });
}

function ownerOf({ actor, principal }: FastifyRequest): string {
  return actor?.workspaceId ?? principal?.userId ?? '';
}

/** The HTML of messages, drafts and saved replies, and of signatures. */
function longHtmlOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const { bodyHtml, signatures } = body as { bodyHtml?: unknown; signatures?: unknown };
  const ofSignatures = Array.isArray(signatures) ? signatures.map((each) => each?.html) : [];
  return [bodyHtml, ...ofSignatures].filter((html) => typeof html === 'string' && html.length > inPlaceCharsMax);
}
