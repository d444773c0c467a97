import { isProven } from '@kontor/mail/mail-authentication.ts';
import { type Role, roleMay } from '../../../ground/catalog/permissions.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import type { OwnAddresses } from '../own-addresses.ts';
import type { PreparedMail, SendingMember, UnderstoodMail, UnreadableMail } from '../understand.ts';

type PreparedReadable = UnderstoodMail & PreparedMail;

/** By the id of a mail, the member who forwards another person's mail with it. */
export type Forwards = ReadonlyMap<string, SendingMember>;

/**
 * Finds the mails with which a member forwards somebody else's mail. Only a proven mail of a member counts: anybody can
 * name any person inside a mail, and so choose who gets the answer. A viewer writes neither tickets nor notes.
 */
export async function findForwards(
  db: Queryable,
  workspaceId: WorkspaceId,
  { prepared, own }: { prepared: readonly (UnderstoodMail | UnreadableMail)[]; own: OwnAddresses },
): Promise<Forwards> {
  const forwarding = prepared.flatMap((mail) => forwardOf(mail, own));
  if (forwarding.length === 0) return new Map();
  const members = await db.rows<SendingMember & { key: string; role: Role }>(sql`
    select m.role, m.user_id as "userId", u.name, u.email, u.email_key as key
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null
      and u.email_key = any(${forwarding.map(({ key }) => key)}::text[])`);
  const writers = members.filter(({ role }) => roleMay(role, 'ticket.write'));
  const byKey = new Map(writers.map(({ key, role: _, ...member }) => [key, member]));
  return new Map(
    forwarding.flatMap(({ rawMailId, key }) => {
      const member = byKey.get(key);
      return member === undefined ? [] : [[rawMailId, member]];
    }),
  );
}

/** The mail and the key of its writer, if it forwards a mail of somebody else to us. */
function forwardOf(mail: UnderstoodMail | UnreadableMail, own: OwnAddresses): { rawMailId: string; key: string }[] {
  if ('reason' in mail || mail.from === null || mail.forwarded === null) return [];
  const { raw, relay, automaticKind, from, forwarded } = mail;
  const isNews = raw.origin === 'live' && raw.isOld !== true && raw.hosted?.folder !== 'sent';
  if (!isNews || relay !== undefined || automaticKind !== null) return [];
  const key = caseKey(from.email);
  const isOfOther = !own.isOwn(forwarded.from.email) && caseKey(forwarded.from.email) !== key;
  return isOfOther && isProven(mail, own.isOwn, 'subject') ? [{ rawMailId: raw.id, key }] : [];
}

/**
 * The mail inside a mail that a member forwards, in place of that mail. Its writer is known by name only, so nothing
 * proves it, whatever proved the member's mail.
 */
export function asForwarded(mail: PreparedReadable, by: SendingMember): PreparedReadable {
  const { forwarded } = mail;
  if (forwarded === null) return mail;
  const { from, subject, files: _, note: _note, ...texts } = forwarded;
  return {
    ...mail,
    ...texts,
    ...{ from, subject },
    people: [{ ...from, claim: null }, ...mail.people.slice(1)],
    replyToAddresses: [],
    headers: null,
    authentication: { ...mail.authentication, verdict: 'none' },
    attachments: [...filesOf(mail), ...(mail.forwardedAttachments ?? [])],
    forwardedBy: by,
  };
}

/** Without its HTML, a message shows no pictures inside it, so they stand in the list of files. */
function filesOf({ attachments, forwarded }: PreparedReadable): PreparedMail['attachments'] {
  return forwarded?.bodyHtml == null ? attachments.map((file) => ({ ...file, isInline: false })) : attachments;
}
