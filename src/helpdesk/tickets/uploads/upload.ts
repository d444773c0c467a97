import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import type { TicketId } from '../../../ground/lib/ids.ts';
import { addUpload } from '../../files/keep-upload.ts';
import type { Upload } from '../../files/read-upload.ts';
import type { StoredAttachment } from '../../files/schema.ts';
import { lockTicket } from '../change.ts';

/** Adds a stored upload to a ticket. The lock keeps out a merge, after which no message could take the file. */
export async function uploadAttachment(
  tx: Tx,
  actor: Actor,
  { ticketId, upload }: { ticketId: TicketId; upload: Upload },
): Promise<StoredAttachment> {
  await lockTicket(tx, actor, { ticketId, ifMatch: undefined });
  return addUpload(tx, actor, { ticketId, upload });
}
