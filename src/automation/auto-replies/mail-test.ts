import type { Actor } from '../../ground/catalog/actor.ts';
import { automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { renderTest } from '../../transport/mailflow/sending/reply-test.ts';
import { getAutoReply } from './queries.ts';

/**
 * Mails a member what an automatic reply says, as if they had written. Throws 404, and 409 if a variable has no value
 * even for them.
 */
export async function mailTest(tx: Tx, { workspaceId, userId }: Actor, autoReplyId: string): Promise<void> {
  const { savedReplyId, mailboxId } = await getAutoReply(tx, { workspaceId, autoReplyId, now: tx.now });
  const doer = automation(workspaceId, { kind: 'auto_reply', id: autoReplyId, depth: 1 });
  const { missing } = await renderTest(tx, doer, { userId, savedReplyId, mailboxId });
  if (missing.length > 0)
    throw new AppError('saved_reply.variable_missing', { variables: missing.map(({ variable }) => variable) });
  await enqueue(tx, 'system-mail.send', {
    kind: 'reply-test',
    workspaceId,
    userId,
    autoReplyId,
    savedReplyId,
    mailboxId,
  });
}
