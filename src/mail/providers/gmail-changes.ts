/** Which mail is new in a Gmail mailbox, and which is in it since when. */
import { type FoundMail, ProviderFault } from '../provider.ts';
import { type AskGmail, labelsOf, listOf, textOf } from './gmail-request.ts';
import { asObject } from './provider-request.ts';

const historyPageMax = '500';

/**
 * What happened since the cursor, a `historyId`, oldest first. Google keeps it a week, at times some hours only.
 * Mail counts that was in the inbox or the sent folder when it happened: mail that somebody archived before it is fetched,
 * and mail that is moved to the inbox. What a filter keeps out of the inbox does not.
 */
export async function* changesSince(
  ask: AskGmail,
  cursor: string,
): AsyncGenerator<{ found: FoundMail[]; cursor: string | null }> {
  const outside = new Set<string>();
  let pageToken: string | null = null;
  do {
    const page: Record<string, unknown> = await ask({
      path: '/gmail/v1/users/me/history',
      query: [
        ['startHistoryId', cursor],
        ['maxResults', historyPageMax],
        // Google tells mail that comes out of the junk folder as labelled only.
        ...['messageAdded', 'labelAdded', 'labelRemoved'].map((type) => ['historyTypes', type] as const),
        ...(pageToken === null ? [] : [['pageToken', pageToken] as const]),
      ],
    }).catch((fault) => {
      throw isLost(fault) ? lost('Gmail no longer tells what happened since the mailbox was last read.', fault) : fault;
    });
    pageToken = textOf(page.nextPageToken);
    const found = listOf(page.history).flatMap((record) => foundIn(record, outside));
    yield { found: unique(found), cursor: pageToken === null ? (textOf(page.historyId) ?? cursor) : null };
  } while (pageToken !== null);
}

const labelsOfNoMail = ['DRAFT', 'SPAM', 'TRASH', 'CHAT'];

/** @param outside messages that came, but not to where they count, as far as their labels tell */
function foundIn(record: Record<string, unknown>, outside: Set<string>): FoundMail[] {
  const found: FoundMail[] = [];
  for (const { message } of listOf(record.messagesAdded)) {
    const id = textOf(asObject(message)?.id);
    const labels = labelsOf(asObject(message));
    if (id === null) continue;
    // Often no labels come along: then fetching it shows what it is.
    const mayCount = labels.size === 0 || labels.has('INBOX') || labels.has('SENT');
    if (mayCount && !labelsOfNoMail.some((label) => labels.has(label)))
      found.push({ providerId: id, folder: labels.has('SENT') ? 'sent' : 'inbox' });
    else outside.add(id);
  }
  for (const labelled of listOf(record.labelsAdded)) {
    const id = textOf(asObject(labelled.message)?.id);
    if (id !== null && labelsOf(labelled).has('INBOX')) found.push({ providerId: id, folder: 'inbox' });
  }
  // It may be listed with the labels of today: that it was in the inbox shows where it was taken out.
  for (const unlabelled of listOf(record.labelsRemoved)) {
    const id = textOf(asObject(unlabelled.message)?.id);
    if (id !== null && outside.has(id) && labelsOf(unlabelled).has('INBOX'))
      found.push({ providerId: id, folder: 'inbox' });
  }
  return found;
}

function unique(found: readonly FoundMail[]): FoundMail[] {
  return [...new Map(found.map((mail) => [mail.providerId, mail])).values()];
}

/**
 * The places in the order in which they are listed, one query each, because Gmail combines labels only by "and". The archive
 * is mail without a label of the mailbox's own: filters that keep mail out of the inbox usually add one, people who archive do
 * not.
 */
const places = {
  INBOX: { folder: 'inbox', query: [['labelIds', 'INBOX']] },
  SENT: { folder: 'sent', query: [['labelIds', 'SENT']] },
  ARCHIVE: { folder: 'inbox', query: [], search: ' has:nouserlabels -in:inbox -in:sent -in:drafts -in:chats' },
} as const;
const placeNames = ['INBOX', 'SENT', 'ARCHIVE'] as const;
type PlaceName = (typeof placeNames)[number];

/**
 * Lists the inbox, then the sent folder and the archive, each newest first, which is Gmail's only order.
 * `next` is `<place>:<Google's page token>`. Google may refuse an old token: then the list begins again.
 */
export async function mailSince(
  ask: AskGmail,
  { since, page, hasArchive = false }: { since: Date; page: string; hasArchive?: boolean },
): Promise<{ found: FoundMail[]; next: string | null }> {
  const name = placeNames.find((each) => page.startsWith(`${each}:`)) ?? 'INBOX';
  const pageToken = page.slice(name.length + 1);
  const { folder, query, search = '' }: { folder: FoundMail['folder']; query: Query; search?: string } = places[name];
  const answer = await ask({
    path: '/gmail/v1/users/me/messages',
    query: [
      ...query,
      ['q', `${afterQuery(since)}${search}`],
      ['maxResults', '100'],
      ...(pageToken === '' ? [] : [['pageToken', pageToken] as const]),
    ],
  }).catch((fault) => {
    throw pageToken !== '' && isLost(fault)
      ? lost('Gmail no longer knows this place in the list of mail.', fault)
      : fault;
  });
  const found = listOf(answer.messages).flatMap(({ id }): FoundMail[] => {
    const providerId = textOf(id);
    if (providerId === null) return [];
    return [{ providerId, folder, ...(name === 'ARCHIVE' && { isCandidate: true }) }];
  });
  const token = textOf(answer.nextPageToken);
  return { found, next: token === null ? nextPlace(name, hasArchive) : `${name}:${token}` };
}

type Query = readonly (readonly [name: string, value: string])[];

function nextPlace(name: PlaceName, hasArchive: boolean): string | null {
  if (name === 'INBOX') return 'SENT:';
  return name === 'SENT' && hasArchive ? 'ARCHIVE:' : null;
}

/** Dates in Gmail's searches are of its own time zone; seconds are of none. The last second counts as a whole. */
export function afterQuery(since: Date): string {
  return `after:${Math.floor(since.getTime() / 1000) - 1}`;
}

function isLost(fault: unknown): boolean {
  return fault instanceof ProviderFault && (fault.kind === 'not-found' || fault.kind === 'refused');
}

function lost(sentence: string, cause: unknown): ProviderFault {
  return new ProviderFault('cursor-lost', 'history_lost', sentence, { cause });
}
