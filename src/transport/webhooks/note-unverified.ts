import { createHash } from 'node:crypto';
import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Logger } from '../../ground/platform/log.ts';
import type { Reason } from '../../mail/mailboxes/status/state.ts';
import { changeState } from '../../mail/mailboxes/status/write.ts';
import { providerKeys } from '../../mail/providers/registry.ts';

/** Fewer notifications without the secret than this may be a stranger's attempt. */
const unverifiedMax = 20;
/**
 * Strangers can invent any number of subscriptions, so the number of counters is fixed. Subscriptions may share a
 * counter; then the reason appears a few notifications earlier.
 */
const countersMax = 65_536;

const why: Reason = {
  reasonKey: 'unverified',
  reason:
    'Kontor only looks for new mail every few minutes, because the provider’s notifications for this mailbox come ' +
    'without the secret of their subscription. Some tenants of Microsoft 365 remove it; otherwise ' +
    'MAIL_A_WEBHOOK_SECRET was changed.',
};

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
      const told = db.tx(async (tx) => {
        const mailboxes = await tx.rows<MailboxKey>(sql`
          select distinct workspace_id as "workspaceId", mailbox_id as "mailboxId"
          from mailbox_routes
          where provider = ${providerKeys.microsoft} and route_key = any(${many}::text[])
          order by workspace_id, mailbox_id`);
        for (const mailbox of mailboxes) await changeState(tx, mailbox, { kind: 'note', why, isWeak: true });
      });
      await told.catch((err) => log.warn({ err }, 'the reason for unverified notifications could not be saved'));
    },
  };
}
