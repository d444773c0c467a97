import { invalidRequest } from '../lib/errors.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import type { Queryable } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { isOwnAddress, type OwnAddress } from '../workspaces/own-address.ts';
import { messageIsOfPerson } from './of-person.ts';

export type Recipients = { to: string[]; cc: string[] };

export const recipientsMax = 100;

/**
 * Whom a mail goes to: each address once, in `to` rather than in `cc`, and none of our own, for such a mail would come back
 * as a new one.
 */
export function withoutRepeats(
  own: OwnAddress,
  { to, cc }: { to: readonly string[]; cc: readonly string[] },
): Recipients {
  const seen = new Set<string>();
  const isNew = (email: string) => !isOwnAddress(own, email) && seen.size < seen.add(caseKey(email)).size;
  return { to: to.filter(isNew), cc: cc.filter(isNew) };
}

/** The same of what a caller names. Throws 400 for more than a mail may have. */
export function recipientsOf(own: OwnAddress, named: Recipients): Recipients {
  if (named.to.length + named.cc.length > recipientsMax) {
    throw invalidRequest({ path: 'body.ccAddresses', message: `makes more than ${recipientsMax} recipients` });
  }
  return withoutRepeats(own, named);
}

/** Throws 400 when there is nobody to send to. */
export function refuseNobody({ to }: Recipients): void {
  if (to.length > 0) return;
  const message = 'is needed: there is no requester to send to, nor anybody but ourselves';
  throw invalidRequest({ path: 'body.toAddresses', message });
}

/** A ticket's requester as one to write to: their address, and the Reply-To of their last mail that no machine wrote. */
export type RequesterAddresses = { email: string; replyTo: readonly string[] };

export async function findRequesterAddresses(
  db: Queryable,
  workspaceId: WorkspaceId,
  ticketId: TicketId,
): Promise<RequesterAddresses | undefined> {
  return db.maybe<RequesterAddresses>(sql`
    select c.email, coalesce((
        select m.reply_to_addresses
        from messages m
        where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and m.direction = 'inbound'
          and m.author_contact_id = t.requester_id and ${messageIsOfPerson}
        order by m.created_at desc, m.id desc
        limit 1
      ), '{}') as "replyTo"
    from tickets t
    join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}`);
}

/** Whom somebody wants to be written to: at their Reply-To, unless it leads to us. */
export function addressesOf(own: OwnAddress, { email, replyTo }: RequesterAddresses): string[] {
  const others = replyTo.filter((address) => !isOwnAddress(own, address));
  return others.length > 0 ? others : [email];
}
