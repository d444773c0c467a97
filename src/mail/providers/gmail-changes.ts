/** Lists the new mail of a Gmail mailbox since a cursor, and its older mail since a time. */
import type { FoundMail } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type AskGmail, labelsOf, listOf, textOf } from './gmail-request.ts';
import { asObject } from './provider-request.ts';

const historyPageMax = '500';
/** More pages than a week can have. Ends the requests to a server whose pages form a circle. */
const pagesMax = 10_000;

/**
 * Lists the events since the cursor, a `historyId`, oldest first. Google keeps the history for a week, sometimes for
 * only a few hours.
 * Includes mail that was in the inbox or the sent folder at the time of the event, even if somebody archived it since.
 * Includes mail that somebody moves to the inbox. Excludes mail that a filter keeps out of the inbox.
 */
export async function* changesSince(
  ask: AskGmail,
  cursor: string,
): AsyncGenerator<{ found: FoundMail[]; cursor: string | null }> {
  const outside = new Set<string>();
  const followed = new Set<string>();
  let pageToken: string | null = null;
  do {
    const page: Record<string, unknown> = await ask({
      path: '/gmail/v1/users/me/history',
      query: [
        ['startHistoryId', cursor],
        ['maxResults', historyPageMax],
        // Google reports mail that leaves the junk folder only as labelled.
        ...['messageAdded', 'labelAdded', 'labelRemoved'].map((type) => ['historyTypes', type] as const),
        ...(pageToken === null ? [] : [['pageToken', pageToken] as const]),
      ],
    }).catch((fault) => {
      throw isLost(fault) ? lost('Gmail no longer tells what happened since the mailbox was last read.', fault) : fault;
    });
    pageToken = textOf(page.nextPageToken);
    if (pageToken !== null && (followed.has(pageToken) || followed.size > pagesMax))
      throw lost('Gmail tells without an end what happened since the mailbox was last read.');
    followed.add(pageToken ?? '');
    const found = listOf(page.history).flatMap((record) => foundIn(record, outside));
    yield { found: unique(found), cursor: pageToken === null ? (textOf(page.historyId) ?? cursor) : null };
  } while (pageToken !== null);
}

const labelsOfNoMail = ['DRAFT', 'SPAM', 'TRASH', 'CHAT'];

/** @param outside the new messages whose labels show them outside the inbox and the sent folder */
function foundIn(record: Record<string, unknown>, outside: Set<string>): FoundMail[] {
  const found: FoundMail[] = [];
  for (const { message } of listOf(record.messagesAdded)) {
    const id = textOf(asObject(message)?.id);
    const labels = labelsOf(asObject(message));
    if (id === null) continue;
    // Google often omits the labels. Then the fetch shows them.
    const mayCount = labels.size === 0 || labels.has('INBOX') || labels.has('SENT');
    if (mayCount && !labelsOfNoMail.some((label) => labels.has(label)))
      found.push({ providerId: id, folder: labels.has('SENT') ? 'sent' : 'inbox' });
    else outside.add(id);
  }
  for (const labelled of listOf(record.labelsAdded)) {
    const id = textOf(asObject(labelled.message)?.id);
    if (id !== null && labelsOf(labelled).has('INBOX')) found.push({ providerId: id, folder: 'inbox' });
  }
  // Google may list a message with its present labels. The removal of INBOX shows that the message was in the inbox.
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
 * The places in their listing order. Each needs its own query, because Gmail combines labels only with "and". The
 * archive means mail without user labels: filters that keep mail out of the inbox usually add a label, people who
 * archive do not. Sent mail comes first, because an automatic reply that is taken before its sent mail would open a
 * ticket of its own.
 */
const places = {
  SENT: { folder: 'sent', query: [['labelIds', 'SENT']] },
  INBOX: { folder: 'inbox', query: [['labelIds', 'INBOX']] },
  ARCHIVE: { folder: 'inbox', query: [], search: ' has:nouserlabels -in:inbox -in:sent -in:drafts -in:chats' },
} as const;
const placeNames = ['SENT', 'INBOX', 'ARCHIVE'] as const;
const placePattern = /^2:([A-Z]+):(.*)$/;
type PlaceName = (typeof placeNames)[number];

/**
 * Lists the sent folder, then the inbox and the archive. Each is sorted newest first, which is Gmail's only order.
 * `next` is `2:<place>:<Google's page token>`. Google may refuse an old token. Then the caller must begin again.
 */
export async function mailSince(
  ask: AskGmail,
  { since, page, hasArchive = false }: { since: Date; page: string; hasArchive?: boolean },
): Promise<{ found: FoundMail[]; next: string | null }> {
  const [, known, pageToken = ''] = placePattern.exec(page === '' ? '2:SENT:' : page) ?? [];
  const name = placeNames.find((each) => each === known);
  if (name === undefined) throw lost('This is no place in the list of mail.');
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
  if (token !== null && token === pageToken)
    throw new ProviderFault('unavailable', 'endless_list', 'Gmail lists the same mail again and again.');
  return { found, next: token === null ? nextPlace(name, hasArchive) : `2:${name}:${token}` };
}

type Query = readonly (readonly [name: string, value: string])[];

function nextPlace(name: PlaceName, hasArchive: boolean): string | null {
  if (name === 'SENT') return '2:INBOX:';
  return name === 'INBOX' && hasArchive ? '2:ARCHIVE:' : null;
}

/** Gmail reads dates in its own time zone, but seconds need no time zone. Includes the whole second of `since`. */
export function afterQuery(since: Date): string {
  return `after:${Math.floor(since.getTime() / 1000) - 1}`;
}

function isLost(fault: unknown): boolean {
  return fault instanceof ProviderFault && (fault.kind === 'not-found' || fault.kind === 'refused');
}

function lost(sentence: string, cause?: unknown): ProviderFault {
  return new ProviderFault('cursor-lost', 'history_lost', sentence, { cause });
}
