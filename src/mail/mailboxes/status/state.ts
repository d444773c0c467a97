import { type MailboxField, mailboxTroubles } from '../../../ground/catalog/events.ts';
import type { ReasonKey } from '../../providers/mailbox-reasons.ts';

export type MailboxStatus = 'active' | 'paused' | 'reauthorization_required' | 'error' | 'disconnected';
export type SendStatus = 'active' | 'error';

export type Reason = { reason: string | null; reasonKey: ReasonKey | null };
/** `toldAt` is when owners and admins were last told of the trouble. */
type Condition<Status> = Reason & { status: Status; changedAt: string; toldAt: string | null };
/** Whether a mailbox reads (`status`) and sends (`sendStatus`). `refusedSince`: since when every send was refused. */
export type MailboxState = {
  status: Condition<MailboxStatus>;
  sendStatus: Condition<SendStatus> & { refusedSince: string | null };
};

const connected = ['active', 'paused', 'reauthorization_required', 'error'] as const;

/** Where the status of reading leads, and from where. */
const moves = {
  /** A person asks for these four. Each also lets the mailbox send again. */
  connect: { to: 'active', from: [...connected, 'disconnected'] },
  pause: { to: 'paused', from: ['active', 'reauthorization_required', 'error'] },
  resume: { to: 'active', from: connected },
  disconnect: { to: 'disconnected', from: connected },
  /** A person must connect the mailbox again. */
  'lose-access': { to: 'reauthorization_required', from: ['active', 'error'] },
  fail: { to: 'error', from: ['active', 'error'] },
  /** It still fails, with a fault that says nothing of the access. */
  'fail-on': { to: 'error', from: ['error'] },
  recover: { to: 'active', from: ['error'] },
} as const satisfies Record<string, { to: MailboxStatus; from: readonly MailboxStatus[] }>;

export type MailboxRequest = 'connect' | 'pause' | 'resume' | 'disconnect';
type Move = { kind: MailboxRequest | 'fail-on' | 'recover' } | { kind: 'lose-access' | 'fail'; why: Reason };
type Sending =
  /** The provider refused a mail. `isCertain`: it would refuse every mail. */
  | { kind: 'refuse'; why: Reason; isCertain: boolean }
  /** The provider lets the mailbox send: it took a mail, or takes one later. */
  | { kind: 'accept' }
  | { kind: 'throttle' };
export type MailboxEvent =
  | Move
  | Sending
  /** Says what an active mailbox lacks. If `isWeak`, an existing reason says more. */
  | { kind: 'note'; why: Reason; isWeak?: boolean }
  /** Owners and admins are told again. */
  | { kind: 'remind'; field: MailboxField };

const noReason: Reason = { reason: null, reasonKey: null };

/** @returns undefined for an event that cannot happen in this state, or changes nothing */
export function nextState(state: MailboxState, event: MailboxEvent, now: Date): MailboxState | undefined {
  const { status, sendStatus } = state;
  if (event.kind === 'remind') return { ...state, [event.field]: { ...state[event.field], toldAt: now.toISOString() } };
  if (event.kind === 'note') {
    const isSaid = event.isWeak === true && status.reason !== null;
    return status.status !== 'active' || isSaid ? undefined : { ...state, status: { ...status, ...event.why } };
  }
  if (event.kind === 'refuse' || event.kind === 'accept' || event.kind === 'throttle')
    return { ...state, sendStatus: sendingAfter(state, event, now) };
  const { to, from }: { to: MailboxStatus; from: readonly MailboxStatus[] } = moves[event.kind];
  if (!from.includes(status.status)) return undefined;
  if ('why' in event) return { ...state, status: moved(status, to, event.why, now) };
  if (event.kind === 'fail-on') return state;
  if (event.kind === 'recover') return { ...state, status: moved(status, to, noReason, now) };
  if (event.kind === 'resume' && status.status === 'active' && sendStatus.status === 'active') return undefined;
  // A new time, so that work of before the request saves nothing.
  const changedAt = now.toISOString();
  const sending = { ...moved(sendStatus, 'active', noReason, now), refusedSince: null };
  return {
    status: { ...moved(status, to, noReason, now), changedAt },
    sendStatus: event.kind === 'connect' ? { ...sending, changedAt } : sending,
  };
}

function sendingAfter({ status, sendStatus }: MailboxState, event: Sending, now: Date): MailboxState['sendStatus'] {
  if (event.kind === 'throttle') return { ...sendStatus, refusedSince: null };
  if (event.kind === 'accept') return { ...moved(sendStatus, 'active', noReason, now), refusedSince: null };
  const refused = { ...sendStatus, refusedSince: sendStatus.refusedSince ?? now.toISOString() };
  const isRefused = event.isCertain || isLong(refused.refusedSince, now);
  const isNew = isRefused && sendStatus.status === 'active' && status.status !== 'disconnected';
  return isNew ? moved(refused, 'error', event.why, now) : refused;
}

/** Owners and admins are told when a status comes to need a person, and then anew after each recovery. */
function moved<Part extends Condition<string>>(before: Part, status: Part['status'], why: Reason, now: Date): Part {
  if (status === before.status) return { ...before, ...why };
  const changedAt = now.toISOString();
  return { ...before, ...why, status, changedAt, toldAt: mailboxTroubles.includes(status) ? changedAt : null };
}

/** Both providers refuse good requests by mistake, so a shorter series of refusals changes nothing. */
const refusedMsMin = 3_600_000;

export function isLong(refusedSince: string | Date | null, now: Date): boolean {
  return refusedSince !== null && now.getTime() - new Date(refusedSince).getTime() >= refusedMsMin;
}

type StatusChange = { field: MailboxField; from: string; to: string; reason: string | null };

/** The changes of status that others hear of. */
export function changesBetween(before: MailboxState, after: MailboxState): StatusChange[] {
  return (['status', 'sendStatus'] as const).flatMap((field) => {
    const [{ status: from }, { status: to, reason }] = [before[field], after[field]];
    return from === to ? [] : { field, from, to, reason };
  });
}
