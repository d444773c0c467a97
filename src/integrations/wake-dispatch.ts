import type { Db } from '../database/db.ts';
import type { Live } from '../database/live.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import type { Logger } from '../platform/log.ts';
import { dispatchUnread } from './dispatch-unread.ts';

/** Hints within this time share one query, however many arrive. */
const gatherMs = 250;

/**
 * Queues dispatch jobs soon after facts are committed. Every process with workers does this; equal jobs fold into one
 * by key. The sweep makes up for lost hints.
 */
export function wakeDispatch({ db, live, log }: { db: Db; live: Live; log: Logger }): { stop(): Promise<void> } {
  let touched: Set<WorkspaceId> | 'any' = new Set();
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const wake = async (): Promise<void> => {
    timer = undefined;
    const workspaceIds = touched === 'any' ? null : [...touched];
    touched = new Set();
    try {
      await db.tx((tx) => dispatchUnread(tx, workspaceIds));
    } catch (err) {
      log.warn({ err }, 'webhooks were not woken: the sweep sees to what happened');
    }
  };
  const end = live.follow((workspaceIds) => {
    if (workspaceIds === null) touched = 'any';
    else if (touched !== 'any') for (const id of workspaceIds) touched.add(id);
    timer ??= setTimeout(() => {
      underWay = underWay.then(wake);
    }, gatherMs);
  });
  return {
    stop: async () => {
      end();
      clearTimeout(timer);
      await underWay;
    },
  };
}
