import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answerWith, askedFor, Refusal, tell } from '../../../test/fake-api.ts';
import { show } from '../../../test/page.tsx';
import { answerOf, idOf, type Message, queued } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';
import { followLive, type LiveEvent, onLive } from '../../api/live.ts';
import { Toasts } from '../../ui/Toasts.tsx';
import { showToast } from '../../ui/toast.ts';
import { forgetLeaving, tellSentIn, tellWhenSent } from './tell-sent.ts';

const desk = idOf('desk');
const toast = (text: string) => page.getByRole('status').getByText(text);
const looks = () => askedFor('listMessages').map(({ path }) => path);

const leaving = answerOf({ delivery: queued() });

function settled(status: NonNullable<Message['delivery']>['status']): Message {
  return { ...leaving, delivery: { ...queued(), status, nextAttemptAt: null } };
}

function send(message: Message): void {
  tellWhenSent(Promise.resolve(message), { workspaceId: desk, ticketNumber: 1 });
}

/** What the service lists of the ticket. */
function listed(...messages: Message[]) {
  return { messages: messages.map((message) => ({ ...message, snippet: '' })), earlierCursor: null };
}

/** Enters a workspace, and follows its stream. @returns a function that leaves it */
function enter(workspaceId: string): () => void {
  const stops = [tellSentIn(workspaceId), followLive(workspaceId, Promise.resolve('1'))];
  const leave = () => {
    for (const stop of stops.splice(0)) stop();
  };
  onTestFinished(leave);
  return leave;
}

/** Tells of an event, and waits until the page has heard it. */
async function tellAndWait(name: LiveEvent['name'], data: object): Promise<void> {
  const heard = Promise.withResolvers<void>();
  const stop = onLive((events) => events.some((event) => event.name === name) && heard.resolve());
  tell(name, data);
  await heard.promise;
  stop();
}

test('how an answer went is told in its own workspace, and no toast follows into another', async () => {
  await show(<Toasts />, { ...workspaceWith(), listMessages: () => listed(settled('failed')) });
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  const leaveOther = enter(idOf('other'));
  send(settled('queued'));
  await tellAndWait('reset', {});
  leaveOther();
  const leave = enter(desk);
  const failed = toast('The email in #1 could not be sent');
  await expect.element(failed).toBeVisible();
  expect(looks()).toHaveLength(1);
  // Another page of the same workspace.
  leave();
  enter(desk)();
  await expect.element(failed).toBeVisible();
  enter(idOf('other'));
  await expect.element(failed).not.toBeInTheDocument();
});

test('the outcome is told although the message has moved to another ticket', async () => {
  const other = idOf('t2');
  const inTicket = (ticketId: string) => (ticketId === other ? listed(settled('sent')) : listed());
  await show(<Toasts />, { ...workspaceWith(), listMessages: ({ path }) => inTicket(path.ticketId) });
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  enter(desk);
  send(leaving);
  await tellAndWait('reset', {});
  await expect.poll(() => looks().length).toBe(1);
  const told = { type: 'message.delivery_changed', messageId: leaving.id, ticketId: other };
  tell('message', { ...told, ticket: { ticketNumber: 2 } });
  await expect.element(toast('Email in #2 sent')).toBeVisible();
});

test('a look that failed is repeated', async () => {
  const fail = () => {
    throw new Refusal(503, 'internal');
  };
  await show(<Toasts />, { ...workspaceWith(), listMessages: fail });
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  onTestFinished(tellSentIn(desk));
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  send(settled('queued'));
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  answerWith({ listMessages: () => listed(settled('sent')) });
  vi.runOnlyPendingTimers();
  await expect.element(toast('Email in #1 sent')).toBeVisible();
});

test.each([
  ['failed', 'The email in #1 could not be sent'],
  ['bounced', 'The email in #1 could not be delivered'],
  ['uncertain', 'The email in #1 may not have arrived'],
] as const)('a reply that is %s is told as such, until its writer closes it', async (status, text) => {
  await show(<Toasts />, { ...workspaceWith(), listMessages: () => listed(settled(status)) });
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  onTestFinished(tellSentIn(desk));
  send(settled('queued'));
  await expect.element(toast(text)).toBeVisible();
  showToast('#2 closed');
  await expect.element(toast('#2 closed')).toBeVisible();
  await expect.element(toast(text)).toBeVisible();
});

test('the next person hears nothing of a reply whose answer comes after the sign-out', async () => {
  await show(<Toasts />, { ...workspaceWith(), listMessages: () => listed(settled('sent')) });
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  enter(desk);
  const answered = Promise.withResolvers<Message>();
  tellWhenSent(answered.promise, { workspaceId: desk, ticketNumber: 1 });
  forgetLeaving();
  answered.resolve(settled('queued'));
  await tellAndWait('reset', {});
  expect(looks()).toEqual([]);
  // The same reply of the next person is told.
  send(settled('queued'));
  await expect.element(toast('Email in #1 sent')).toBeVisible();
  expect(looks()).toHaveLength(1);
});

test('an answer whose ticket is deleted for good is looked for once', async () => {
  const refuse = () => {
    throw new Refusal(404, 'ticket.not_found');
  };
  await show(<Toasts />, { ...workspaceWith(), listMessages: refuse });
  enter(desk);
  send(settled('queued'));
  await tellAndWait('reset', {});
  await expect.poll(looks).toHaveLength(1);
  // The page reads the refusal before it looks at all answers that are left.
  await new Promise((done) => setTimeout(done));
  await tellAndWait('reset', {});
  expect(looks()).toHaveLength(1);
});
