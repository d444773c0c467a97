/** Sending: takes a mail out of the drafts, carries it to its recipients, and later files the sent copy. */
import { randomUUID } from 'node:crypto';
import { absenceNote, bounceOf, type Habit, withHeader, writeMail } from '../customer-mail.ts';
import { newMessageId, rawOf, replyDraft } from './drafts.ts';
import { type Answer, type Call, GraphError, isMime, jsonOf, mimeOf } from './http.ts';
import { addItem, lift, place, renameItem } from './mailbox.ts';
import { wholeOf } from './message.ts';
import { headOf } from './mime.ts';
import { itemNamed } from './read.ts';
import { type Item, keepLast, type Mailbox, type World } from './world.ts';

const recipientsMax = 500;

export function sendDraft(call: Call): Answer {
  const item = itemNamed(call);
  if (!item.isDraft) throw new GraphError(400, 'ErrorInvalidArgument', 'Only a draft can be sent.');
  return sendItem(call, item);
}

export async function sendReply(call: Call, { toAll }: { toAll: boolean }): Promise<Answer> {
  return sendItem(call, await replyDraft(call, { toAll }));
}

export function sendMail(call: Call): Answer {
  const { world, mailbox } = call;
  const wish = isMime(call) ? {} : jsonOf(call.body);
  const raw = isMime(call) ? mimeOf(call.body) : rawOf(call, (wish.message ?? {}) as Record<string, unknown>);
  const isKept = wish.saveToSentItems !== false;
  const item = addItem(world, mailbox, { raw, folder: 'drafts', isDraft: true, isRead: true });
  return sendItem(call, item, { isKept });
}

function sendItem({ world, mailbox, caller }: Call, item: Item, { isKept = true } = {}): Answer {
  const delegate = caller === undefined || caller === mailbox ? undefined : caller.address.toLowerCase();
  if (delegate !== undefined && mailbox.delegates.get(delegate)?.sendsAs !== true)
    throw new GraphError(403, 'ErrorSendAsDenied', 'The user account does not have the right to send as this account.');
  const { behaviour, clock } = world;
  const whole = wholeOf(item);
  const { to, cc, bcc } = headOf(whole);
  const recipients = [...new Set([...to, ...cc, ...bcc])];
  if (recipients.length === 0) throw new GraphError(400, 'ErrorInvalidRecipients', 'At least one recipient is needed.');
  if (recipients.length > recipientsMax)
    throw new GraphError(400, 'ErrorExceededMaxRecipientLimit', `At most ${recipientsMax} recipients.`);
  const messageId = behaviour.rewritesMessageIds ? newMessageId() : item.internetMessageId;
  const raw = withHeader(whole, 'Message-ID', messageId);
  lift(world, mailbox, item);
  clock.after(behaviour.sentDelayMs, () => {
    if (!isKept) return;
    if (behaviour.sentIdsChange) {
      const { conversationId, properties } = item;
      const copy = { raw, folder: 'sentitems' as const, isRead: true, conversationId, properties };
      return void addItem(world, mailbox, copy);
    }
    Object.assign(item, { raw, files: [], isDraft: false, isRead: true, receivedAt: clock.now() });
    renameItem(mailbox, item, messageId);
    place(world, mailbox, item, 'sentitems');
  });
  carry(world, mailbox, raw, recipients);
  return { status: 202 };
}

/** Carries a mail to mailboxes here and to addresses outside. */
export function carry(world: World, sender: Mailbox, raw: Buffer, recipients: readonly string[]): void {
  const open = withHeader(raw, 'Bcc', null);
  const here = recipients.flatMap((email) => mailboxOf(world, email) ?? []);
  for (const mailbox of new Set(here))
    addItem(world, mailbox, { raw: stamped(world, open, mailbox.address), folder: 'inbox' });
  const outside = recipients.filter((email) => mailboxOf(world, email) === undefined);
  if (outside.length === 0) return;
  const messageId = headOf(open).messageId ?? '';
  for (const to of outside) {
    keepLast(world.outgoing, {
      id: randomUUID(),
      at: world.clock.now(),
      from: sender.address,
      to,
      messageId,
      raw: open,
    });
    const habit = world.habits.get(to.toLowerCase());
    if (habit !== undefined) world.clock.after(0, () => followHabit(world, sender, open, to, habit));
  }
  world.onOutgoing?.(open, outside);
}

/** Ignores the tag after a plus. */
export function mailboxOf(world: World, email: string): Mailbox | undefined {
  return world.mailboxes.get(email.toLowerCase().replace(/\+[^@]*(?=@)/, ''));
}

async function followHabit(world: World, mailbox: Mailbox, raw: Buffer, customer: string, habit: Habit): Promise<void> {
  const now = world.clock.now();
  if (habit === 'bounces') return void addItem(world, mailbox, { raw: bounceOf(raw, customer, now), folder: 'inbox' });
  const note = await writeMail(absenceNote(raw, customer), { to: mailbox.address, date: now });
  addItem(world, mailbox, { raw: stamped(world, note, mailbox.address), folder: 'inbox' });
}

/** Adds the Received header of the receiving server. */
export function stamped(world: World, raw: Buffer, recipient: string): Buffer {
  const date = world.clock.now().toUTCString().replace('GMT', '+0000');
  const server = 'Received: from mail.example.com by emulated.prod.outlook.com with ESMTPS';
  return Buffer.concat([Buffer.from(`${server}\r\n for <${recipient}>; ${date}\r\n`), raw]);
}
