import type { Db } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import { sql } from '../platform/sql.ts';

/** So many notifications with another clientState are no stranger's try any more. */
const unverifiedMax = 20;
/** Strangers may make up subscriptions: of more at a time none is counted. */
const subscriptionsMax = 10_000;
/** Graph's are UUIDs. */
const idLengthMax = 100;

const reason =
  'New mail is only looked for every few minutes: the provider’s notifications for this mailbox come without the secret they were ordered with. Some tenants of Microsoft 365 remove it; else MAIL_A_WEBHOOK_SECRET was changed.';

export type Unverified = {
  /** Counts notifications for subscriptions that did not bring the secret; the mailbox of one with many says so. */
  note(subscriptionIds: readonly string[]): Promise<void>;
};

/** Counts in this process, so that a stranger's notifications cost no question to the database. */
export function openUnverified({ db, log }: { db: Db; log: Logger }): Unverified {
  const counts = new Map<string, number>();
  const isMany = (id: string): boolean => {
    if (id.length > idLengthMax) return false;
    const count = (counts.get(id) ?? 0) + 1;
    if (count < unverifiedMax) {
      if (counts.has(id) || counts.size < subscriptionsMax) counts.set(id, count);
      return false;
    }
    counts.delete(id);
    return true;
  };
  return {
    note: async (subscriptionIds) => {
      const many = subscriptionIds.filter(isMany);
      if (many.length === 0) return;
      // What else is wrong with a mailbox says more.
      const told = db.tx((tx) =>
        tx.run(sql`
          update mailboxes m set status_reason = ${reason}
          from mailbox_routes r
          where r.provider = 'mail-a' and r.route_key = any(${many}::text[]) and m.workspace_id = r.workspace_id
            and m.id = r.mailbox_id and m.status = 'active' and m.status_reason is null`),
      );
      await told.catch((err) => log.warn({ err }, 'a mailbox could not say that its notifications are not verified'));
    },
  };
}
