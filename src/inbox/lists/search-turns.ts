import type { FastifyRequest } from 'fastify';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';

/** Per process. More searches at once finish no sooner, and make all other requests wait for processors. */
const atOnceMax = 4;
/** Somewhat longer than a request waits for a connection. */
const waitMsMax = 10_000;

export type SearchTurns = <Result>(
  request: Pick<FastifyRequest, 'raw'>,
  workspaceId: WorkspaceId,
  search: () => Promise<Result>,
) => Promise<Result>;

/**
 * Runs only a few searches at once. Workspaces with waiting searches take turns.
 * Throws 503 `unavailable` if the turn comes too late.
 * Skips searches whose client has disconnected: people who keep typing abort their last search.
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
