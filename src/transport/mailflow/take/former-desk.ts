import { type DeskClue, deskClues } from '@kontor/mail/desk-tokens.ts';
import { threadIds } from '@kontor/mail/threading.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { ContactId, TeamId, TicketId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { UnderstoodMail } from '../understand.ts';

const ticketsMax = 50;
/** How long answers find a conversation whose help desk put no token into its mails. */
const replyDaysMax = 183;
const dayMs = 86_400_000;

type Named = { id: TicketId; teamId: TeamId | null; source: string; token: string; isRecent: boolean };

/**
 * Finds the imported ticket that a mail names by a token of the help desk before. Only tickets in which the writer
 * takes part count, because numbers can be guessed. A mail without tokens costs no statement.
 * @param isReply whether the subject counts: a person surely wrote it
 */
export async function findNamedByDesk(
  tx: Pick<Tx, 'rows'>,
  workspaceId: WorkspaceId,
  { mail, contactId, isReply }: { mail: UnderstoodMail; contactId: ContactId; isReply: boolean },
): Promise<{ ticket: Pick<Named, 'id' | 'teamId'>; matchedId: string } | undefined> {
  const { parsed, subject, body, toAddresses, ccAddresses, deliveredToAddresses } = mail;
  const recipients = [...toAddresses, ...ccAddresses, ...deliveredToAddresses];
  const all = deskClues({ ids: threadIds(parsed), recipients, subject, text: body });
  const clues = all.filter(({ place }) => isReply || place !== 'reply');
  if (clues.length === 0) return undefined;
  const since = new Date(mail.raw.receivedAt.getTime() - replyDaysMax * dayMs);
  const named = await findTicketsOfTokens(tx, workspaceId, { clues, contactId, since });
  const ofClue = ({ source, token, place }: DeskClue) =>
    named.filter((one) => one.source === source && one.token === token && (one.isRecent || place !== 'reply'));
  // Somebody who quotes mails of several tickets answers none of them for certain.
  const quoted = clues.filter(({ place }) => place === 'text').flatMap(ofClue);
  const isAmbiguous = new Set(quoted.map(({ id }) => id)).size > 1;
  const [best] = clues.filter(({ place }) => !isAmbiguous || place !== 'text').flatMap(ofClue);
  return best && { ticket: best, matchedId: `${best.source} ${best.token}` };
}

/** Those outside spam first, and among them the newest. */
function findTicketsOfTokens(
  tx: Pick<Tx, 'rows'>,
  workspaceId: WorkspaceId,
  { clues, contactId, since }: { clues: readonly DeskClue[]; contactId: ContactId; since: Date },
): Promise<Named[]> {
  const tokens = [...new Set(clues.map(({ token }) => token))];
  return tx.rows<Named>(sql`
    select t.id, t.team_id as "teamId", k.source, k.token, t.last_message_at > ${since} as "isRecent"
    from thread_tokens k
    join tickets t on t.workspace_id = ${workspaceId} and t.id = k.ticket_id
    join ticket_participants p
      on p.workspace_id = ${workspaceId} and p.ticket_id = k.ticket_id and p.contact_id = ${contactId}
    where k.workspace_id = ${workspaceId} and k.token = any(${tokens}::text[])
      and (p.is_known or t.requester_id = p.contact_id)
    order by t.spam_at is not null, t.last_message_at desc, t.id desc
    limit ${ticketsMax}`);
}
