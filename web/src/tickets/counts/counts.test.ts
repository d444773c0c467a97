import type { InfiniteData } from '@tanstack/react-query';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { queryClient } from '../../api/cache.ts';
import type { Ticket } from '../../api/client.ts';
import type { Start } from '../../api/start.ts';
import { type IdPage, listsKey } from '../list-places.ts';
import { applyEvents } from '../live-changes.ts';
import { dropChange, holdChange, receiveAnswer, receiveRows, rowsOf } from '../rows.ts';
import { countsKey } from './count-moves.ts';
import { settled } from './counts.ts';

type Counts = Start['counts'];
type Status = Ticket['status'];
// Other tests of this worker share the page's state, so they have other workspaces.
const workspaceId = 'counted';
const statuses = ['open', 'pending', 'closed'] as const satisfies Status[];

const mailboxIds = ['even', 'odd'] as const;

const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_');
const ticket = (number: number, fields: Partial<Ticket> = {}) =>
  ({
    id: `t${number}`,
    ticketNumber: number,
    status: 'open',
    assigneeId: 'u',
    tags: [],
    archivedAt: null,
    trashedAt: null,
    spamAt: null,
    mergedIntoId: null,
    mailboxId: mailboxIds[number % 2],
    snoozedUntil: null,
    lastMessageAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
    version: 1,
    ...fields,
  }) as Ticket;

const known = [1, 2, 3].map((number) => ticket(number));
type Change = {
  transaction: number;
  type: string;
  ticket: Ticket;
  userId?: string;
  isCommitted: boolean;
  isTold: boolean;
  /** Whether the page has followed it: by an event, or as the member's own. */
  isFollowed: boolean;
};
type Reading = { answer: () => void; ended: Promise<unknown>; isOld: boolean };

/** A service whose transactions commit in any order, and a page that reads its counts and its stream. */
function openWorld() {
  queryClient.clear();
  queryClient.setQueryData(['me'], { user: { id: 'u' } });
  receiveRows(workspaceId, known);
  const page: IdPage = { ids: known.map(({ id }) => id), nextCursor: undefined };
  const list: InfiniteData<IdPage, unknown> = { pages: [page], pageParams: [undefined] };
  queryClient.setQueryData([...listsKey(workspaceId), { archived: 'any' }], list);
  const changes: Change[] = known.map((one) => made(0, 'ticket.created', one));
  let next = 1;
  let asked: Reading | undefined;
  let read: (change: Change) => boolean = () => false;
  let counted = read;
  /** Whether the page has to count again, as it cannot know a change that an event brought along. */
  let isBehind = false;
  const own = new Map<string, { status: Status; answer: Ticket | undefined }>();

  function made(transaction: number, type: string, of: Ticket): Change {
    const isOld = transaction === 0;
    return { transaction, type, ticket: of, isCommitted: isOld, isTold: isOld, isFollowed: false };
  }
  /** A ticket as the service has it, or as a reader of some of its changes knows it. */
  const stateOf = (id: string, isKnown: (change: Change) => boolean) =>
    changes.filter((change) => change.ticket.id === id && isKnown(change)).at(-1)?.ticket;
  const ids = () => [...new Set(changes.map((change) => change.ticket.id))];
  /** Whether the stream still has a change of the ticket to tell. The page knows nothing of it, and counts after that. */
  const isUntold = (id: string) => changes.some((change) => change.ticket.id === id && !change.isTold);
  const isLocked = (id: string) => changes.some((change) => change.ticket.id === id && !change.isCommitted);
  const count = (states: readonly (Ticket | undefined)[]): Pick<Counts, 'lists' | 'mailboxes'> => {
    const countOf = (status: Status, isIn: (one: Ticket) => boolean = () => true) => ({
      count: states.filter((one) => one?.status === status && isIn(one)).length,
      isAtLeast: false,
    });
    return {
      lists: { open: countOf('open'), pending: countOf('pending') } as Counts['lists'],
      mailboxes: mailboxIds.map((id) => ({ mailboxId: id, ...countOf('open', ({ mailboxId }) => mailboxId === id) })),
    };
  };

  /** An event brings its ticket as it is now, with later changes too. */
  const present = ({ ticket: of }: Change): Ticket => stateOf(of.id, ({ isCommitted }) => isCommitted) ?? of;
  /** What the page does with events: it follows one that is not counted to the ticket that it brings. */
  function follow(told: readonly Change[]): void {
    const versions = new Map([...rowsOf(workspaceId)].map(([id, row]) => [id, row.told.version]));
    for (const change of told) {
      const { id, version } = present(change);
      const known = versions.get(id) ?? 0;
      if (known >= version) continue;
      versions.set(id, version);
      if (!counted(change)) {
        for (const each of changes) if (each.ticket.id === id && each.isCommitted) each.isFollowed = true;
      } else if (version > known + 1 || change.userId === 'u') {
        isBehind = true;
        if (asked) asked.isOld = true;
      }
    }
  }
  function snapshot(): Counts {
    const running = changes.filter(({ isCommitted }) => !isCommitted).map(({ transaction }) => transaction);
    const [end, first] = [next, Math.min(next, ...running)];
    const sees = ({ transaction }: Change) => transaction < end && !running.includes(transaction);
    read = sees;
    const position = encoded(['e', String(first), 'nil', 1, String(end), ...running.map(String)]);
    return { position, ...count(ids().map((id) => stateOf(id, sees))), views: [], teams: [] };
  }

  return {
    begin: (number: number, status: Status) => {
      const before = stateOf(`t${number}`, () => true);
      if (isLocked(`t${number}`)) return;
      const after = before ? { ...before, status, version: before.version + 1 } : ticket(number, { status });
      changes.push(made(next++, before ? 'ticket.status_changed' : 'ticket.created', after));
    },
    commit: (at: number) => {
      const open = changes.filter(({ isCommitted }) => !isCommitted);
      const chosen = open[at % open.length];
      if (chosen) chosen.isCommitted = true;
    },
    /** The stream tells changes in the order of transactions, and none that an older one may still precede. */
    tell: async (most: number) => {
      const horizon = Math.min(
        next,
        ...changes.filter(({ isCommitted }) => !isCommitted).map((one) => one.transaction),
      );
      const told = changes.filter(({ transaction, isTold }) => !isTold && transaction < horizon).slice(0, most);
      const events = told.map((change) => ({ ...change, ticket: present(change) }));
      const wasBehind = isBehind;
      follow(told);
      for (const change of told) change.isTold = true;
      applyEvents(
        workspaceId,
        events.map(({ transaction, type, userId, ticket: of }) => ({
          name: 'ticket',
          data: { type, ticketId: of.id, actor: { type: 'agent', userId }, ticket: of },
          id: encoded(['e', String(transaction), 'f', 0]),
        })),
      );
      // A count that is on its way, or that the end of the member's change brings, comes later.
      if (!isBehind || wasBehind || asked) return;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(queryClient.getQueryState(countsKey(workspaceId))?.isInvalidated).toBe(true);
    },
    ask: () => {
      if (asked) return;
      const answer = Promise.withResolvers<Counts>();
      const first = snapshot();
      let isFirst = true;
      const queryFn = () =>
        settled(workspaceId, async () => {
          const counts = isFirst ? answer.promise : snapshot();
          isFirst = false;
          return counts;
        });
      const ended: Promise<unknown> = queryClient.fetchQuery({
        queryKey: countsKey(workspaceId),
        queryFn,
        staleTime: 0,
      });
      asked = { answer: () => answer.resolve(first), ended, isOld: false };
    },
    answer: async () => {
      if (!asked) return;
      const reading = asked;
      asked = undefined;
      const before = queryClient.getQueryData<Counts>(countsKey(workspaceId));
      reading.answer();
      await vi.advanceTimersByTimeAsync(1_000);
      const shown = (await reading.ended) as Counts;
      // The page keeps its counts where it cannot know whether the new ones have a change of its own.
      if (before?.position === shown.position) return;
      counted = read;
      if (!reading.isOld) isBehind = false;
    },
    /** The member changes a ticket; the service takes it once; its answer reaches the page. */
    hold: (number: number, status: Status) => {
      const id = `t${number}`;
      if (
        own.has(id) ||
        isUntold(id) ||
        !rowsOf(workspaceId).has(id) ||
        !queryClient.getQueryData(countsKey(workspaceId))
      )
        return;
      own.set(id, { status, answer: undefined });
      holdChange(workspaceId, [id], { key: id, change: { kind: 'fields', fields: { status } } });
    },
    take: (number: number) => {
      const id = `t${number}`;
      const mine = own.get(id);
      const before = stateOf(id, () => true);
      if (mine === undefined || mine.answer || isUntold(id) || before === undefined) return;
      mine.answer = { ...before, status: mine.status, version: before.version + 1 };
      changes.push({ ...made(next++, 'ticket.status_changed', mine.answer), isCommitted: true, userId: 'u' });
    },
    receive: (number: number) => {
      const id = `t${number}`;
      const answered = own.get(id)?.answer;
      if (answered === undefined) return;
      own.delete(id);
      receiveAnswer(workspaceId, [answered]);
      dropChange(workspaceId, [id], id);
      for (const change of changes) if (change.ticket === answered) change.isFollowed = true;
    },
    /** Undefined while the page has to count again. */
    shown: () => {
      const counts = isBehind ? undefined : queryClient.getQueryData<Counts>(countsKey(workspaceId));
      return counts && { lists: counts.lists, mailboxes: counts.mailboxes };
    },
    /** Each ticket as the page knows it, by the counts, the stream and the member's own changes. */
    expected: () =>
      count(
        ids().map((id) => {
          const state = stateOf(id, (change) => counted(change) || change.isFollowed);
          const mine = own.get(id);
          return state && mine ? { ...state, status: mine.status } : state;
        }),
      ),
  };
}

type Step = [string, number, Status];
const number = fc.integer({ min: 1, max: 5 });
const status = fc.constantFrom(...statuses);
const steps = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom('begin', 'hold'), number, status),
    fc.tuple(fc.constantFrom('commit', 'tell', 'take', 'receive'), number, fc.constant('open')),
    fc.tuple(fc.constantFrom('ask', 'answer'), fc.constant(0), fc.constant('open')),
  ),
  { minLength: 20, maxLength: 60 },
);

const begins = [
  ['ask', 0, 'open'],
  ['answer', 0, 'open'],
  ['begin', 1, 'pending'],
  ['commit', 0, 'open'],
  ['ask', 0, 'open'],
] as Step[];
const changesAgain = [
  ['begin', 1, 'closed'],
  ['commit', 0, 'open'],
] as Step[];
const tells = ['tell', 1, 'open'] as Step;
/** Counts are read between two changes of a ticket, and come after the event of the first. */
const readBetween = [...begins, ...changesAgain, tells, ['answer', 0, 'open'], tells] as Step[];
/** The same, but they come before that event. */
const toldBetween = [...begins, ['answer', 0, 'open'], ...changesAgain, tells, tells] as Step[];

test('each count has every change once, in whatever order the service and its stream tell of them', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    queryClient.clear();
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const world = openWorld();
      for (const [step, at, to] of taken) {
        await (world[step as keyof typeof world] as (at: number, to: Status) => unknown)(at, to as Status);
        const shown = world.shown();
        if (shown === undefined) continue;
        expect(shown).toEqual(world.expected());
        compared += 1;
      }
      await world.answer();
    }),
    { numRuns: 500, examples: [[readBetween], [toldBetween]] },
  );
  expect(compared).toBeGreaterThan(1_000);
});
