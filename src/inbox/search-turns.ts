import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { inTurns } from '../lib/in-turns.ts';

/** Of one process. More at once find nothing sooner, and what everybody else asks waits for processors with them. */
const atOnceMax = 4;
/** Somewhat longer than a request waits for a connection. */
const waitMsMax = 10_000;

export type SearchTurns = <Result>(
  request: Pick<FastifyRequest, 'raw'>,
  workspaceId: string,
  search: () => Promise<Result>,
) => Promise<Result>;

/**
 * Lets few searches run at once; the workspaces whose searches wait take turns. Throws 503 `unavailable` where the turn comes too late, and
 * does not search where nobody waits for the answer any more: people who type on have their last search broken off.
 */
export function openSearchTurns(): SearchTurns {
  const inTurn = inTurns(atOnceMax);
  return ({ raw }, workspaceId, search) => {
    const beginsBy = performance.now() + waitMsMax;
    return inTurn(async () => {
      if (raw.socket.destroyed || performance.now() > beginsBy)
        throw new AppError('unavailable', {}, { headers: { 'retry-after': '2' } });
      return search();
    }, workspaceId);
  };
}
