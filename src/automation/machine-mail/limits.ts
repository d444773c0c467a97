import type { Automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { nilId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { addressBase } from '../../ground/lib/plus-address.ts';
import { pauseMachineMail } from './pauses.ts';
import type { MachineMailKind, Withheld } from './withheld.ts';

/** How many mails one address gets within an hour. Addresses that differ in numbers only count as one. */
export const perAddressMax = 3;
/** How many mails leave from a mailbox within an hour, before they rest. */
export const perMailboxMax = 200;
/**
 * How many answers of a kind an address gets from a mailbox within some hours. So a program that answers each mail, and
 * hides that it is one, hears no more.
 */
const perKind: Record<MachineMailKind, { mailsMax: number; hours: number }> = {
  received: { mailsMax: 1, hours: 24 },
  out_of_hours: { mailsMax: 1, hours: 12 },
  rule: { mailsMax: 3, hours: 24 },
  survey: { mailsMax: 1, hours: 24 },
};

/** By which key an address is counted, and by which it counts together with others. */
export function keysOfAddress(email: string): { addressKey: string; patternKey: string } {
  const addressKey = addressBase(email);
  return { addressKey, patternKey: addressKey.replace(/\d+/g, '0') };
}

export type Turn = { kind: MachineMailKind; mailboxId: string | null; to: string };

/**
 * Whether the limits allow one more mail. Mail of a workspace waits here for one another until the commit, so that two
 * readers do not both take the last one: what was sent must be logged in the same transaction. Pauses the mailbox that
 * has sent too many.
 * @returns why not; null if they do
 */
export async function limitMachineMail(
  tx: Tx,
  doer: Automation,
  { kind, mailboxId, to }: Turn,
): Promise<Withheld | null> {
  const { workspaceId } = doer;
  const { addressKey, patternKey } = keysOfAddress(to);
  const { mailsMax, hours } = perKind[kind];
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`machine mail ${workspaceId}`}, 0))`);
  const counted = await tx.one<{ isPaused: boolean; isRecent: boolean; ofAddress: number }>(sql`
    select exists (
        select from machine_mail_pauses
        where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId ?? nilId}::uuid and resumed_at is null
      ) as "isPaused",
      count(*) filter (where kind = ${kind} and address_key = ${addressKey}
        and mailbox_id is not distinct from ${mailboxId}::uuid
        and created_at > ${tx.now}::timestamptz - make_interval(hours => ${hours})) >= ${mailsMax} as "isRecent",
      count(*) filter (where created_at > ${tx.now}::timestamptz - interval '1 hour')::integer as "ofAddress"
    from auto_reply_log
    where workspace_id = ${workspaceId} and pattern_key = ${patternKey} and withheld is null
      and created_at > ${tx.now}::timestamptz - interval '24 hours'`);
  if (counted.isPaused) return 'paused';
  if (counted.isRecent) return 'answered_lately';
  if (counted.ofAddress >= perAddressMax) return 'address_limit';
  if ((await countOfMailbox(tx, workspaceId, mailboxId)) < perMailboxMax) return null;
  await pauseMachineMail(tx, doer, mailboxId);
  return 'mailbox_limit';
}

/** Counts anew since an admin resumed. Compares with `=`, because an index does not serve `is not distinct from`. */
async function countOfMailbox(tx: Tx, workspaceId: WorkspaceId, mailboxId: string | null): Promise<number> {
  const isOfMailbox = mailboxId === null ? sql`mailbox_id is null` : sql`mailbox_id = ${mailboxId}`;
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*)::integer as count
    from (
      select from auto_reply_log
      where workspace_id = ${workspaceId} and ${isOfMailbox} and withheld is null
        and created_at > greatest(${tx.now}::timestamptz - interval '1 hour', (
          select resumed_at from machine_mail_pauses
          where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId ?? nilId}::uuid
        ))
      limit ${perMailboxMax}
    ) l`);
  return count;
}
