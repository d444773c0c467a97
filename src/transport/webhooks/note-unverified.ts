import { createHash } from 'node:crypto';
import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Logger } from '../../ground/platform/log.ts';
import type { ReasonKey } from '../../mail/providers/mailbox-reasons.ts';
import { providerKeys } from '../../mail/providers/registry.ts';

/** Fewer notifications without the secret than this may be a stranger's attempt. */
const unverifiedMax = 20;
/**
 * Strangers can invent any number of subscriptions, so the number of counters is fixed. Subscriptions may share a
 * counter; then the reason appears a few notifications earlier.
 */
const countersMax = 65_536;

const reason =
  'Kontor only looks for new mail every few minutes, because the provider’s notifications for this mailbox come ' +
  'without the secret of their subscription. Some tenants of Microsoft 365 remove it; otherwise ' +
  'MAIL_A_WEBHOOK_SECRET was changed.';

export type Unverified = {
  /** Counts notifications without the secret per subscription. After many, the mailbox shows this as its reason. */
  note(subscriptionIds: readonly string[]): Promise<void>;
};

/** Counts in this process, so that a stranger's notifications cost no query. */
export function openUnverified({ db, log }: { db: Db; log: Logger }): Unverified {
  const counts = new Uint8Array(countersMax);
  const isMany = (id: string): boolean => {
    const at = createHash('sha256').update(id).digest().readUInt16BE();
    const count = (counts[at] ?? 0) + 1;
    counts[at] = count % unverifiedMax;
    return count === unverifiedMax;
  };
  return {
    note: async (subscriptionIds) => {
      const many = subscriptionIds.filter(isMany);
      if (many.length === 0) return;
      // Keeps an existing reason, which says more.
      const told = db.tx((tx) =>
        tx.run(sql`
          update mailboxes m set status_reason = ${reason}, status_reason_key = ${'unverified' satisfies ReasonKey}
          from mailbox_routes r
          where r.provider = ${providerKeys.microsoft} and r.route_key = any(${many}::text[])
            and m.workspace_id = r.workspace_id and m.id = r.mailbox_id and m.status = 'active'
            and m.status_reason is null`),
      );
      await told.catch((err) => log.warn({ err }, 'the reason for unverified notifications could not be saved'));
    },
  };
}
