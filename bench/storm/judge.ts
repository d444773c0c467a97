import type { Answer } from './agents.ts';
import { openConversations } from './conversations.ts';
import type { Customers } from './customers.ts';
import { type MailRecord, type MessageRow, ownIdOf, type Records } from './records.ts';
import type { Side } from './side.ts';

/** @returns a sentence for each difference between the service and the providers */
export async function judge(
  all: readonly Records[],
  { sides, customers, answers }: { sides: readonly Side[]; customers: Customers; answers: readonly Answer[] },
): Promise<string[]> {
  const arrivals = await countArrivals(sides);
  const boxes = new Set(all.flatMap(({ desk }) => desk.mailboxes.map(({ address }) => address)));
  const perDesk = await Promise.all(
    all.map(async (records) => [
      ...judgeMails(records),
      ...judgeConversations(records),
      ...judgeAnswers(records, arrivals, { customers, answers, boxes }),
      ...(await judgeMailboxes(records)),
    ]),
  );
  const known = new Set(all.flatMap(({ messages }) => messages.map(({ rfcMessageId }) => rfcMessageId)));
  const strays = [...arrivals.keys()].filter((key) => !known.has(key.split(' ')[0] ?? ''));
  const misuses = (await Promise.all(sides.map((side) => side.tally()))).flatMap((tally) => tally.misuses);
  return [...perDesk.flat(), ...strays.map((key) => `${key} got a mail of no message here`), ...misuses];
}

/** Every mail of the mailboxes is exactly one message, and no other messages exist. */
function judgeMails({ messages, mails }: Records): string[] {
  const found = Map.groupBy(messages, ({ rfcMessageId }) => rfcMessageId);
  const expected = new Map<string, MailRecord>();
  const differences: string[] = [];
  for (const mail of mails) {
    const { head, ownId, folder } = mail;
    const id = head.messageId ?? '';
    if (folder === 'inbox' || ownId === null) expected.set(id, mail);
    else {
      const [message, ...others] = found.get(ownId) ?? [];
      if (message === undefined || others.length > 0) differences.push(`the sent mail ${id} is not one message`);
      else if (message.wireMessageId !== id)
        differences.push(`the message ${message.id} was sent as ${id}, and is known as ${message.wireMessageId}`);
    }
  }
  for (const [id, { folder, isFiled, box }] of expected) {
    const rows = found.get(id) ?? [];
    const place = isFiled ? 'the archive of ' : '';
    const direction = folder === 'inbox' ? 'inbound' : 'outbound';
    if (rows.length !== 1) differences.push(`the mail ${id} of ${place}${box.address} is in ${rows.length} messages`);
    else if (rows[0]?.direction !== direction) differences.push(`the mail ${id} is ${rows[0]?.direction}`);
  }
  const unknown = messages.filter(
    ({ rfcMessageId, deliveryStatus }) => deliveryStatus === null && !expected.has(rfcMessageId ?? ''),
  );
  return [...differences, ...unknown.map(({ id }) => `the message ${id} is of no mail in the mailboxes`)];
}

/**
 * Mails of one conversation are on one ticket, and different conversations on different tickets. Conversations follow
 * from the ids in the mails and from the providers' threads.
 */
function judgeConversations({ messages, mails }: Records): string[] {
  const conversations = openConversations();
  for (const { box, threadId, head, ownId } of mails) {
    const ids = [head.messageId, ownId, ...head.inReplyTo, ...head.references].filter((id) => id !== null);
    conversations.join([...ids, `thread ${box.id} ${threadId}`]);
  }
  const placed = messages.flatMap((message) =>
    message.rfcMessageId === null ? [] : [{ ...message, conversation: conversations.of(message.rfcMessageId) }],
  );
  const torn = [...Map.groupBy(placed, ({ conversation }) => conversation).values()].filter(isTorn);
  const mixed = [...Map.groupBy(placed, ({ ticketId }) => ticketId).values()].filter(
    (some) => new Set(some.map(({ conversation }) => conversation)).size > 1,
  );
  return [
    ...torn.map((some) => `one conversation is on several tickets: ${listed(some)}`),
    ...mixed.map((some) => `one ticket has several conversations: ${listed(some)}`),
  ];
}

function isTorn(some: readonly MessageRow[]): boolean {
  return new Set(some.map(({ ticketId }) => ticketId)).size > 1;
}

function listed(some: readonly MessageRow[]): string {
  return some
    .map(({ ticketId, direction, rfcMessageId, wireMessageId, matchedBy }) => {
      const sentAs = wireMessageId === null ? '' : ` sent as ${wireMessageId}`;
      return `\n    ${ticketId} ${direction} ${rfcMessageId} (${matchedBy})${sentAs}`;
    })
    .join('');
}

/** How often a recipient got a message, by `<own Message-ID> <recipient>`. */
async function countArrivals(sides: readonly Side[]): Promise<Map<string, number>> {
  const arrivals = new Map<string, number>();
  for (const side of sides)
    for (const { to, raw } of await side.received()) {
      const ownId = ownIdOf(raw);
      if (ownId === null) continue;
      const key = `${ownId} ${to.toLowerCase()}`;
      arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
    }
  return arrivals;
}

type Answering = { customers: Customers; answers: readonly Answer[]; boxes: ReadonlySet<string> };

/**
 * Every answer reached each recipient once, and the service knows that it left or bounced. Answers to mailboxes of the
 * storm are judged among their mails.
 */
function judgeAnswers(
  { desk, messages }: Records,
  arrivals: ReadonlyMap<string, number>,
  { customers, answers, boxes }: Answering,
): string[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  return answers
    .filter(({ workspaceId }) => workspaceId === desk.workspaceId)
    .flatMap(({ messageId }) => {
      const message = byId.get(messageId);
      if (message === undefined) return [`the answer ${messageId} is gone`];
      const recipients = message.recipients.filter((recipient) => !boxes.has(recipient));
      return judgeAnswer({ ...message, recipients }, arrivals, customers);
    });
}

function judgeAnswer(message: MessageRow, arrivals: ReadonlyMap<string, number>, customers: Customers): string[] {
  const { id, rfcMessageId, deliveryStatus, deliveryError, recipients } = message;
  const isBounced = recipients.some((recipient) => customers.habitOf(recipient) === 'bounces');
  const expected = isBounced ? 'bounced' : 'sent';
  const wrong = recipients
    .map((recipient) => ({ recipient, count: arrivals.get(`${rfcMessageId} ${recipient}`) ?? 0 }))
    .filter(({ count }) => count !== 1);
  return [
    ...(deliveryStatus === expected
      ? []
      : [`the answer ${id} is ${deliveryStatus}, not ${expected}: ${deliveryError}`]),
    ...wrong.map(({ recipient, count }) => `the answer ${id} came ${count} times to ${recipient}`),
  ];
}

type MailboxAnswer = { id: string; status: string; statusReason: string | null; watches: { key: string }[] };

/** The storm removes the secret from some notifications, as some tenants do. The mailboxes then report this. */
const secretMissing = /notifications for this mailbox come without the secret/;

/** Every mailbox is active, and its watches at the provider are exactly the watches that the service knows. */
async function judgeMailboxes({ desk }: Records): Promise<string[]> {
  const { body: mailboxes } = await desk.call<MailboxAnswer[]>('GET', '/mailboxes');
  const perBox = desk.mailboxes.map(async ({ id, address, side }) => {
    const { status, statusReason, watches = [] } = mailboxes.find((one) => one.id === id) ?? {};
    const seen = await side.watches(address);
    const live = seen.filter(({ isLive }) => isLive).length;
    const isWell = status === 'active' && (statusReason === null || secretMissing.test(statusReason ?? ''));
    return [
      ...(isWell ? [] : [`${address} is ${status}: ${statusReason}`]),
      ...(live === watches.length && live > 0
        ? []
        : [`${address} has ${live} live watches and knows ${watches.length}`]),
      ...(seen.some(({ hasLapsed }) => hasLapsed) ? [`a watch of ${address} lapsed`] : []),
    ];
  });
  return (await Promise.all(perBox)).flat();
}
