import { composeMail, newMessageId } from '@kontor/mail/compose.ts';
import type { App } from '../src/app.ts';
import { prepareMails } from '../src/transport/mailflow/prepare-mails.ts';
import { takeMails } from '../src/transport/mailflow/take/take-mails.ts';
import { type Conversation, type PersonKey, people, type Step, supportAddress } from './conversation.ts';
import type { DemoClock, Office } from './office.ts';

const hourMs = 3_600_000;

/** The ticket of a conversation. */
type Thread = { conversation: Conversation; firstMailId: string; ticketId: string };
type Happening = { at: number; happen(): Promise<void> };

/**
 * Plays all conversations together in order of time, with the clock set to each moment. So numbers, lists, timelines
 * and notifications look like a month's use. Nothing happens in the future.
 */
export async function tell(
  app: App,
  office: Office,
  clock: DemoClock,
  conversations: readonly Conversation[],
  { now, stop }: { now: Date; stop: AbortSignal },
): Promise<void> {
  const happenings = conversations
    .flatMap((conversation, index) => happeningsOf({ app, office, clock }, conversation, index, now))
    .filter(({ at }) => at < now.getTime())
    .sort((a, b) => a.at - b.at);
  for (const { at, happen } of happenings) {
    stop.throwIfAborted();
    clock.set(new Date(at));
    await happen();
    await office.drain();
  }
}

type Stage = { app: App; office: Office; clock: DemoClock };

function happeningsOf(stage: Stage, conversation: Conversation, index: number, now: Date): Happening[] {
  const domain = conversation.from.email.split('@')[1] ?? '';
  const thread: Thread = { conversation, firstMailId: newMessageId(domain, `story${index}.0`), ticketId: '' };
  let at = now.getTime() - conversation.daysAgo * 24 * hourMs;
  const beginning: Happening = {
    at,
    happen: async () => {
      thread.ticketId = await begin(stage, thread);
    },
  };
  const steps = conversation.steps.map((step, place): Happening => {
    at += step.hours * hourMs;
    return { at, happen: () => take(stage, thread, step, newMessageId(domain, `story${index}.${place + 1}`)) };
  });
  return [beginning, ...steps];
}

async function begin(stage: Stage, { conversation, firstMailId }: Thread): Promise<string> {
  const { by, from, subject, body } = conversation;
  if (by !== undefined) {
    const made = await stage.office.as<{ id: string }>(by, 'POST', '/tickets', { subject, body, requester: from });
    return made.id;
  }
  await receive(stage, conversation, { messageId: firstMailId, inReplyTo: null, text: body });
  const search = encodeURIComponent(`<${firstMailId}>`);
  const [found] = await stage.office.as<{ id: string }[]>('ines', 'GET', `/tickets?search=${search}`);
  if (found === undefined) throw new Error(`the mail "${subject}" made no ticket`);
  return found.id;
}

/** Receives a customer's mail as from a mail server. */
async function receive(
  { app, office, clock }: Stage,
  { from, subject }: Conversation,
  { messageId, inReplyTo, text }: { messageId: string; inReplyTo: string | null; text: string },
): Promise<void> {
  const receivedAt = clock.now();
  const raw = await composeMail({
    from,
    to: [{ name: null, email: supportAddress }],
    subject: inReplyTo === null ? subject : `Re: ${subject}`,
    text,
    messageId,
    inReplyTo,
    references: inReplyTo === null ? [] : [inReplyTo],
    date: receivedAt,
  });
  const { workspaceId } = office;
  const source = { workspaceId, origin: 'live', via: 'smtp', mailboxId: null, receivedAt } as const;
  const { prepared } = await prepareMails(app, source, [raw]);
  await takeMails(app, source, prepared);
}

async function take(stage: Stage, thread: Thread, step: Step, messageId: string): Promise<void> {
  const { office } = stage;
  const ticket = `/tickets/${thread.ticketId}`;
  if ('customer' in step) {
    const inReplyTo = thread.firstMailId;
    await receive(stage, thread.conversation, { messageId, inReplyTo, text: step.customer });
  } else if ('answer' in step) {
    await office.as(step.by, 'POST', `${ticket}/messages`, { body: step.answer, sendEmail: true });
  } else if ('note' in step) {
    const body = withMentions(step.note, office);
    await office.as(step.by, 'POST', `${ticket}/messages`, { body, isInternal: true });
  } else if ('status' in step) {
    const { status: toStatus, reason } = step;
    await office.as(step.by, 'POST', `${ticket}/status`, { toStatus, reason });
  } else if ('archive' in step) {
    await office.as(step.by, 'POST', `${ticket}/archive`);
  } else {
    const { by, hours: _, assign, ...changes } = step;
    const assigneeId = assign === undefined || assign === null ? assign : office.userIds[assign];
    await office.as(by, 'PATCH', ticket, { ...changes, assigneeId });
  }
}

function withMentions(text: string, { userIds }: Office): string {
  return text.replace(/@(\w+)/g, (written, key: string) =>
    key in people ? `@[${people[key as PersonKey].name}](user:${userIds[key as PersonKey]})` : written,
  );
}
