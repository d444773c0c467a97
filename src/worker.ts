import type { App } from './app.ts';
import { deliverMail } from './mailflow/deliver.ts';
import { sweepIdempotentAnswers } from './platform/idempotency.ts';
import type { CronEntry, JobHandlers } from './platform/queue.ts';

/** Job name → handler, on one page. */
export function jobHandlers(app: App): JobHandlers {
  return {
    'house.sweep': async () => {
      await app.db.tx(sweepIdempotentAnswers);
    },
    'system-mail.send': async () => {},
    'mail.deliver': (payload, attempt) => deliverMail(app, payload, attempt),
  };
}

/** When jobs run by the clock. */
export const crontab: readonly CronEntry[] = [{ match: '17 3 * * *', job: 'house.sweep' }];
