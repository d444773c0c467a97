import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mailboxTroubles } from '../../../ground/catalog/events.ts';
import {
  changesBetween,
  type MailboxEvent,
  type MailboxState,
  type MailboxStatus,
  nextState,
  type Reason,
} from './state.ts';

const begun = '2026-01-01T00:00:00.000Z';
const works = { status: 'active', reason: null, reasonKey: null, changedAt: begun, toldAt: null } as const;
const connected: MailboxState = { status: works, sendStatus: { ...works, refusedSince: null } };
const at = (hours: number) => new Date(Date.parse(begun) + hours * 3_600_000);

/** Where each event leads the status of reading. All other events leave it, or are refused. */
const table: Record<MailboxStatus, Partial<Record<MailboxEvent['kind'], MailboxStatus>>> = {
  active: {
    connect: 'active',
    pause: 'paused',
    disconnect: 'disconnected',
    'lose-access': 'reauthorization_required',
    fail: 'error',
    note: 'active',
  },
  paused: { connect: 'active', resume: 'active', disconnect: 'disconnected' },
  reauthorization_required: { connect: 'active', pause: 'paused', resume: 'active', disconnect: 'disconnected' },
  error: {
    connect: 'active',
    pause: 'paused',
    resume: 'active',
    disconnect: 'disconnected',
    'lose-access': 'reauthorization_required',
    fail: 'error',
    'fail-on': 'error',
    recover: 'active',
  },
  disconnected: { connect: 'active' },
};

const fault: Reason = { reason: 'It is closed.', reasonKey: 'refused' };
const remark: Reason = { reason: 'It is not told of new mail.', reasonKey: 'not_notified' };
const aboutReading: MailboxEvent[] = [
  ...(['connect', 'pause', 'resume', 'disconnect', 'fail-on', 'recover'] as const).map((kind) => ({ kind })),
  { kind: 'lose-access', why: fault },
  { kind: 'fail', why: fault },
  { kind: 'note', why: remark },
];
const others: MailboxEvent[] = [
  { kind: 'note', why: remark, isWeak: true },
  { kind: 'note', why: { reason: null, reasonKey: null } },
  { kind: 'refuse', why: fault, isCertain: true },
  { kind: 'refuse', why: fault, isCertain: false },
  { kind: 'accept' },
  { kind: 'throttle' },
];

describe.each(Object.keys(table) as MailboxStatus[])('%s', (status) => {
  test.each(aboutReading.map((event) => [event.kind, event] as const))('%s', (kind, event) => {
    const next = nextState({ ...connected, status: { ...works, status } }, event, at(1));
    expect(next?.status.status).toBe(table[status][kind]);
  });
});

type Step = { before: MailboxState; event: MailboxEvent; after: MailboxState; now: Date };

/** What any events do to a mailbox, half an hour apart. */
const anyLife = fc.array(fc.constantFrom(...aboutReading, ...others), { maxLength: 12 }).map((events) => {
  const life: Step[] = [];
  for (const [index, event] of events.entries()) {
    const before = life.at(-1)?.after ?? connected;
    const now = at((index + 1) / 2);
    life.push({ before, event, after: nextState(before, event, now) ?? before, now });
  }
  return life;
});
const inAnyLife = (law: (step: Step) => void) =>
  fc.assert(
    fc.property(anyLife, (life) => {
      life.forEach(law);
    }),
  );

const fields = ['status', 'sendStatus'] as const;

describe('in the life of any mailbox', () => {
  test('who works has no fault as its reason, and who does not work has one', () => {
    inAnyLife(({ after: { status, sendStatus } }) => {
      expect(sendStatus.reason).toBe(sendStatus.status === 'error' ? fault.reason : null);
      if (status.status === 'active') expect(status.reason).not.toBe(fault.reason);
      else expect(status.reason).toBe(mailboxTroubles.includes(status.status) ? fault.reason : null);
    });
  });

  test('a reason has its key, and goes with it', () => {
    inAnyLife(({ after }) => {
      for (const field of fields) expect(after[field].reasonKey === null).toBe(after[field].reason === null);
    });
  });

  test('people are told of a trouble when it begins, once, and again only after it ended', () => {
    inAnyLife(({ before, after, now }) => {
      for (const field of fields) {
        const isChanged = before[field].status !== after[field].status;
        const isTrouble = mailboxTroubles.includes(after[field].status);
        const told = isTrouble ? (isChanged ? now.toISOString() : before[field].toldAt) : null;
        expect(after[field].toldAt).toBe(told);
      }
    });
  });

  test('each change of a status is told once, so an end is told only of what was told to begin', () => {
    inAnyLife(({ before, after }) => {
      const changes = changesBetween(before, after);
      expect(changes.map(({ field }) => field)).toEqual(
        fields.filter((field) => before[field].status !== after[field].status),
      );
      for (const { field, from, to, reason } of changes) {
        expect([from, to]).toEqual([before[field].status, after[field].status]);
        expect(reason).toBe(mailboxTroubles.includes(to) ? fault.reason : null);
      }
    });
  });

  test('a time of change is that of the last change, or of the last request', () => {
    inAnyLife(({ before, event, after, now }) => {
      const isRequest = ['connect', 'pause', 'resume', 'disconnect'].includes(event.kind) && after !== before;
      const isMoved = isRequest || before.status.status !== after.status.status;
      expect(after.status.changedAt).toBe(isMoved ? now.toISOString() : before.status.changedAt);
    });
  });

  test('a request lets the mailbox send again, and an accepted mail ends the refusals', () => {
    inAnyLife(({ before, event, after }) => {
      const isRequest = ['connect', 'pause', 'resume', 'disconnect'].includes(event.kind) && after !== before;
      if (isRequest || event.kind === 'accept')
        expect(after.sendStatus).toMatchObject({ status: 'active', refusedSince: null });
      if (event.kind === 'refuse') expect(after.sendStatus.refusedSince).not.toBeNull();
      if (after.status.status === 'disconnected' && before.sendStatus.status === 'active')
        expect(after.sendStatus.status).toBe('active');
    });
  });
});

test('refusals of less than an hour stop no sending, and a certain one does at once', () => {
  const refuse = (isCertain: boolean) => ({ kind: 'refuse', why: fault, isCertain }) as const;
  const once = nextState(connected, refuse(false), at(0)) ?? connected;
  expect(once.sendStatus).toMatchObject({ status: 'active', refusedSince: begun });
  expect(nextState(once, refuse(false), at(0.99))?.sendStatus.status).toBe('active');
  expect(nextState(once, refuse(false), at(1))?.sendStatus.status).toBe('error');
  expect(nextState(connected, refuse(true), at(0))?.sendStatus.status).toBe('error');
});

test('a weak note leaves a reason that says more, and a reminder only notes its time', () => {
  const noted = nextState(connected, { kind: 'note', why: remark }, at(0)) ?? connected;
  expect(nextState(noted, { kind: 'note', why: fault, isWeak: true }, at(1))).toBeUndefined();
  const reminded = nextState(noted, { kind: 'remind', field: 'status' }, at(2));
  expect(reminded).toEqual({ ...noted, status: { ...noted.status, toldAt: at(2).toISOString() } });
});
