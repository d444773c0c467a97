import type { SpamReason } from '../../../ground/catalog/spam.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { findBlocked } from '../../../helpdesk/spam/queries.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import type { UnderstoodMail, UnreadableMail } from '../understand.ts';
import { isSentByHand } from './sent-mail.ts';

type Mail = UnderstoodMail | UnreadableMail;

/** Why the writer of a mail is blocked; null for a writer who is not. */
export type WhyBlocked = (mail: Mail) => SpamReason | null;

/** Looks up which mails the block list makes spam. It judges only live mail that others wrote. */
export async function findBlockedWriters(
  db: Queryable,
  workspaceId: WorkspaceId,
  { prepared, own }: { prepared: readonly Mail[]; own: OwnAddresses },
): Promise<WhyBlocked> {
  const writerOf = (mail: Mail) => {
    if ('reason' in mail || mail.raw.origin === 'import' || mail.from === null) return undefined;
    return isSentByHand(mail, own) || own.isOwn(mail.from.email) ? undefined : mail.from.email;
  };
  const blocked = await findBlocked(
    db,
    workspaceId,
    prepared.flatMap((mail) => writerOf(mail) ?? []),
  );
  return (mail) => {
    const writer = writerOf(mail);
    return (writer === undefined ? undefined : blocked.get(caseKey(writer))) ?? null;
  };
}
