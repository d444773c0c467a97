/** Changes of a mailbox since a history id. */
import { type Answer, notFound, Refusal } from './answer.ts';
import type { HistoryKind, HistoryRecord } from './mailbox.ts';
import { openPageToken, pageToken, sizeOfPage } from './pages.ts';
import type { Call, World } from './world.ts';

const kinds: HistoryKind[] = ['messageAdded', 'messageDeleted', 'labelAdded', 'labelRemoved'];

export function listHistory({ settings }: World, { mailbox, query }: Call): Answer {
  const start = query.get('startHistoryId') ?? '';
  if (!/^\d+$/.test(start)) throw new Refusal(400, 'Missing or invalid parameter: startHistoryId');
  const asked = query.getAll('historyTypes');
  if (asked.some((kind) => !kinds.includes(kind as HistoryKind)))
    throw new Refusal(400, 'Invalid value at historyTypes', 'badRequest');
  const types = asked.length === 0 ? kinds : (asked as HistoryKind[]); // The check above leaves only history kinds.
  const bound = `history ${mailbox.address} ${start}`;
  const [after = 0] = query.has('pageToken') ? openPageToken(query.get('pageToken'), bound) : [Number(start)];
  // Google's answer gives no reason that a program could read.
  if (after < mailbox.historyFloor || after > mailbox.historyId) throw notFound();
  const labelId = query.get('labelId');
  const size = sizeOfPage(query);
  const shown: object[] = [];
  let last = after;
  let hasMore = false;
  for (let at = firstAfter(mailbox.history, after); at < mailbox.history.length; at++) {
    const record = mailbox.history[at] as HistoryRecord; // `at` is below the length.
    const entry = isOfLabel(record, labelId) ? entryOf(record, types, settings.hidesHistoryLabels) : undefined;
    if (entry === undefined) continue;
    hasMore = shown.length === size;
    if (hasMore) break;
    shown.push(entry);
    last = record.id;
  }
  const body = {
    ...(shown.length > 0 && { history: shown }),
    ...(hasMore && { nextPageToken: pageToken([last], bound) }),
    historyId: String(mailbox.historyId),
  };
  return { status: 200, body };
}

function isOfLabel({ mail, labelsRemoved = [] }: HistoryRecord, labelId: string | null): boolean {
  return labelId === null || mail.labelIds.includes(labelId) || labelsRemoved.includes(labelId);
}

function entryOf(record: HistoryRecord, types: readonly HistoryKind[], hidesLabels: boolean): object | undefined {
  const { id, threadId, labelIds } = record.mail;
  const message = hidesLabels ? { id, threadId } : { id, threadId, labelIds };
  const happened: [HistoryKind, string, object][] = [];
  if (record.added) happened.push(['messageAdded', 'messagesAdded', { message }]);
  if (record.deleted) happened.push(['messageDeleted', 'messagesDeleted', { message }]);
  if (record.labelsAdded) happened.push(['labelAdded', 'labelsAdded', { message, labelIds: record.labelsAdded }]);
  if (record.labelsRemoved)
    happened.push(['labelRemoved', 'labelsRemoved', { message, labelIds: record.labelsRemoved }]);
  const wanted = happened.filter(([kind]) => types.includes(kind));
  if (wanted.length === 0) return undefined;
  const parts = wanted.map(([, name, part]) => [name, [part]]);
  return { id: String(record.id), messages: [{ id, threadId }], ...Object.fromEntries(parts) };
}

/** The index of the first record after this id, by binary search. */
function firstAfter(history: readonly HistoryRecord[], id: number): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((history[middle]?.id ?? 0) <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
