import type { Automation } from '../../../ground/catalog/doer.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { getSavedReply } from '../../../helpdesk/replies/queries.ts';
import { type RenderedText, renderReply } from '../../../helpdesk/replies/render.ts';
import { readVariableValues } from '../../../helpdesk/replies/variable-values.ts';

export type TestedReply = { userId: UserId; savedReplyId: string; mailboxId: string | null };

/** The subject of the mail that a test answers. */
export const testedSubject = 'Test';

/** The texts of an automatic reply to a member, as if they had written as a customer. Throws 404. */
export async function renderTest(
  tx: Tx,
  doer: Automation,
  { userId, savedReplyId, mailboxId }: TestedReply,
): Promise<RenderedText & { to: string }> {
  const { name, email } = await tx.one<{ name: string | null; email: string }>(sql`
    select name, email from users where id = ${userId}`);
  const reply = await getSavedReply(tx, doer, { savedReplyId, now: tx.now });
  const about = { ticketNumber: 1, subject: testedSubject, mailboxId, email, name };
  const values = await readVariableValues(tx, doer, about);
  return { ...renderReply({ ...reply, subject: null }, values), to: email };
}
