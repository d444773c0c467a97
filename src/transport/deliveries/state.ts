import type { DeliveryStatus } from '../../helpdesk/messages/schema.ts';

/**
 * How far an answer is. A status alone does not tell whether the mail may have left already, nor who can tell.
 * Decision 006 draws the states.
 */
export const deliveryStates = [
  /** Its author wants it to leave later. Until then it has answered nobody. */
  'scheduled',
  'queued',
  /** The mail may have left, and an agent sends it again: the next attempt asks the mailbox first. */
  'queued-unsure',
  /** An attempt has it, and nothing has left. */
  'sending',
  /** A mail server gets the content. If the attempt is cut off now, nobody can tell whether the mail left. */
  'handing-over',
  /** A mailbox gets the content, or got it. Until its outcome is known, the mailbox is asked whether the mail left. */
  'unsure',
  'sent',
  'failed',
  'bounced',
  /** The mail may have left, and nobody can tell: a person decides. */
  'uncertain',
  'cancelled',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

type Transitions = Partial<Record<DeliveryState, DeliveryState>>;

function to(next: DeliveryState, ...states: DeliveryState[]): Transitions {
  return Object.fromEntries(states.map((state) => [state, next]));
}

const transitions = {
  /** The time of a scheduled answer has come, or an agent sends it now. */
  release: to('queued', 'scheduled'),
  reschedule: to('scheduled', 'scheduled'),
  /** An attempt begins. It asks first if the mail may have left. */
  claim: { ...to('sending', 'queued', 'sending'), ...to('unsure', 'queued-unsure', 'unsure') },
  'hand-over': to('handing-over', 'sending'),
  'hand-to-mailbox': to('unsure', 'sending'),
  /** The mailbox does not tell yet whether the mail left. */
  'keep-asking': to('unsure', 'unsure'),
  /** The mailbox tells that the mail did not leave. */
  'start-over': to('sending', 'unsure'),
  /** It did not leave, and may next time. An attempt that was presumed dead may still report, here and below. */
  postpone: to('queued', 'sending', 'handing-over', 'unsure', 'uncertain'),
  send: to('sent', 'sending', 'handing-over', 'unsure', 'uncertain'),
  fail: to('failed', 'sending', 'handing-over', 'unsure', 'uncertain'),
  /** Whether the mail left stays unknown. */
  lose: to('uncertain', 'sending', 'handing-over', 'unsure'),
  /** The attempt is dead, and nobody can tell whether the mail left. */
  'cut-off': to('uncertain', 'handing-over'),
  /** The service was restored from a backup, so the original may have sent it since. */
  doubt: to('uncertain', 'scheduled', 'queued', 'sending', 'handing-over'),
  /** All attempts are used up. */
  'give-up': to('failed', 'queued', 'sending'),
  /** A Sent folder has the copy, which proves that the mail left. */
  find: to('sent', ...deliveryStates.filter((state) => state !== 'sent' && state !== 'bounced')),
  bounce: to('bounced', 'sending', 'handing-over', 'unsure', 'sent', 'uncertain'),
  /** An agent sends the mail again, or sends a waiting mail now. */
  retry: to('queued', 'queued', 'queued-unsure', 'failed', 'bounced', 'uncertain', 'cancelled'),
  /** The same when a mailbox can tell whether the mail left. A bounced mail did leave, so it needs no question. */
  'retry-asking': to('queued-unsure', 'queued-unsure', 'failed', 'uncertain', 'cancelled'),
  cancel: to('cancelled', 'scheduled', 'queued', 'queued-unsure'),
};

export type DeliveryEvent = keyof typeof transitions;

/** @returns `refused` for an event that cannot happen in this state, or comes too late */
export function nextState(state: DeliveryState, event: DeliveryEvent): DeliveryState | 'refused' {
  return transitions[event][state] ?? 'refused';
}

export function statesBefore(event: DeliveryEvent): DeliveryState[] {
  return deliveryStates.filter((state) => nextState(state, event) !== 'refused');
}

/** The status that people see. */
export function statusOf(state: DeliveryState): DeliveryStatus {
  if (state === 'queued-unsure') return 'queued';
  return state === 'handing-over' || state === 'unsure' ? 'sending' : state;
}

/** The states to which an event leads have one status. */
export function statusAfter(event: DeliveryEvent): DeliveryStatus {
  return statusOf(Object.values(transitions[event])[0] as DeliveryState);
}
