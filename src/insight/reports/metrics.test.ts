import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type History, type HistoryFact, type HistoryMessage, metricsOf } from './metrics.ts';

const minute = 60_000;
let ids = 0;
const said = (kind: HistoryMessage['kind'], at: number, { userId = null as string | null, sentAt = at } = {}) => ({
  ...{ id: `m${++ids}`, kind, userId },
  ...{ writtenAt: at * minute, at: sentAt * minute },
});
const turned = (from: string, to: string, at: number, userId: string | null = null): HistoryFact => ({
  ...{ type: 'status', from, to, userId },
  at: at * minute,
});
const ticket = (history: Partial<History>): History => ({
  ...{ createdAt: 0, status: 'open', facts: [], messages: [], ...history },
});
const minutesOf = (history: Partial<History>) =>
  metricsOf(ticket(history), null).responses.map(({ seconds }) => seconds / 60);

test('a customer waits from the oldest message that nobody has answered', () => {
  const messages = [said('customer', 0), said('customer', 5), said('note', 6), said('answer', 8), said('answer', 9)];
  expect(minutesOf({ messages })).toEqual([8]);
  expect(minutesOf({ messages: [...messages, said('customer', 20), said('answer', 25)] })).toEqual([8, 5]);
});

test('a ticket that we began has a first response after the customer has written', () => {
  const messages = [said('answer', 0), said('customer', 10), said('answer', 12)];
  const { responses } = metricsOf(ticket({ messages }), null);
  expect(responses).toMatchObject([{ isFirst: true, seconds: 120 }]);
});

test('the wait ends when a mail server has accepted the answer', () => {
  expect(minutesOf({ messages: [said('customer', 0), said('answer', 3, { sentAt: 7 })] })).toEqual([7]);
});

test('closing a ticket ends a wait without a response', () => {
  const messages = [said('customer', 0), said('customer', 20), said('answer', 30)];
  expect(minutesOf({ messages, facts: [turned('open', 'closed', 10), turned('closed', 'open', 20)] })).toEqual([10]);
});

test('an answer that closes the ticket is a response, though it leaves later', () => {
  const messages = [said('customer', 0), said('answer', 10, { sentAt: 11 })];
  const facts = [turned('open', 'closed', 10, 'ada')];
  expect(metricsOf(ticket({ messages, facts, status: 'closed' }), null)).toMatchObject({
    responses: [{ seconds: 660 }],
    resolution: { seconds: 600 },
    resolvedBy: 'ada',
    isOneTouch: true,
  });
});

test('time while a ticket is closed does not count for its resolution', () => {
  const facts = [
    turned('open', 'pending', 5),
    turned('pending', 'closed', 10),
    turned('closed', 'open', 60),
    turned('open', 'closed', 70),
  ];
  const metrics = metricsOf(ticket({ facts, status: 'closed' }), null);
  expect(metrics).toMatchObject({ resolution: { seconds: 1_200 }, isOneTouch: false, resolvedAt: 70 * minute });
  expect(metrics.openedAt).toEqual([0, 60 * minute]);
  expect(metricsOf(ticket({ facts: facts.slice(0, 3) }), null).resolution).toBeNull();
});

test('a ticket that came closed was never resolved here', () => {
  const closed = metricsOf(ticket({ status: 'closed', messages: [said('customer', 0)] }), null);
  expect(closed).toMatchObject({ openedAt: [], closedAt: [], resolvedAt: null, resolution: null });
  const facts = [turned('closed', 'open', 10), turned('open', 'closed', 15)];
  expect(metricsOf(ticket({ status: 'closed', facts }), null).resolution?.seconds).toBe(300);
});

test('business time is that of the calendar', () => {
  const half = (from: number, to: number) => (to - from) / 2;
  const { responses } = metricsOf(ticket({ messages: [said('customer', 0), said('answer', 10)] }), half);
  expect(responses).toMatchObject([{ seconds: 600, businessSeconds: 300 }]);
});

const statuses = ['open', 'pending', 'closed'];
const anyHistory = fc
  .record({
    begun: fc.constantFrom(...statuses),
    steps: fc.array(
      fc.record({
        wait: fc.integer({ min: 1, max: 500 }),
        step: fc.constantFrom('customer', 'answer', 'note', ...statuses),
      }),
      { maxLength: 30 },
    ),
  })
  .map(({ begun, steps }): History => {
    let [at, status] = [0, begun];
    const facts: HistoryFact[] = [];
    const messages: HistoryMessage[] = [];
    for (const { wait, step } of steps) {
      at += wait;
      if (step === 'customer' || step === 'answer' || step === 'note') messages.push(said(step, at));
      else if (step !== status) {
        facts.push(turned(status, step, at));
        status = step;
      }
    }
    return ticket({ status, facts, messages });
  });

test('in any history, spans alternate, no wait is longer than the ticket, and open time fits into its life', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const { openedAt, closedAt, responses, resolution, answers } = metricsOf(history, null);
      const turns = [
        ...openedAt.map((at) => ({ at, open: true })),
        ...closedAt.map((at) => ({ at, open: false })),
      ].sort((one, other) => one.at - other.at || Number(other.open) - Number(one.open));
      for (const [index, { open }] of turns.entries()) expect(turns[index + 1]?.open).not.toBe(open);
      const end = Math.max(0, ...history.facts.map(({ at }) => at), ...history.messages.map(({ at }) => at));
      for (const { seconds } of responses) expect(seconds).toBeLessThanOrEqual(end / 1_000);
      expect(responses.length).toBeLessThanOrEqual(answers);
      expect(responses.filter(({ isFirst }) => isFirst).length).toBe(Math.min(1, responses.length));
      expect(resolution === null).toBe(history.status !== 'closed' || closedAt.length === 0);
      if (resolution) expect(resolution.seconds).toBeLessThanOrEqual(end / 1_000);
    }),
  );
});
