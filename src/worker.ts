import type { App } from './app.ts';
import { sweepIdempotentAnswers } from './platform/idempotency.ts';
import type { JobHandlers } from './platform/queue.ts';

/** Job name → handler, on one page. */
export function jobHandlers(app: App): JobHandlers {
  return {
    'house.sweep': async () => {
      await app.db.tx(sweepIdempotentAnswers);
    },
    'system-mail.send': async () => {},
    'mail.deliver': async () => {},
  };
}

/** When jobs run by the clock, in crontab form, UTC. */
export const crontab = ['17 3 * * * house.sweep'];
