/** What befalls requests by script. */
import { type Answer, refusal } from './gmail-answer.ts';
import type { Random } from './random.ts';

/** What a client can ask for, as Google names the methods; `token` is the token endpoint. */
export type Operation =
  | 'token'
  | 'watch'
  | 'stop'
  | 'getProfile'
  | 'settings.sendAs.list'
  | 'history.list'
  | 'messages.list'
  | 'messages.get'
  | 'messages.send'
  | 'messages.modify'
  | 'messages.trash'
  | 'messages.untrash'
  | 'messages.batchModify'
  | 'attachments.get'
  | 'threads.get';

export type Fault = {
  on: Operation | 'any';
  /** Of one mailbox alone. */
  address?: string;
  /** `status` by default; `stalled`: no answer; `broken`: the connection ends; `slow`: the answer comes after `delayMs`. */
  kind?: 'status' | 'stalled' | 'broken' | 'slow';
  status?: number;
  /** Google's reason (`rateLimitExceeded`), at the token endpoint its error (`invalid_grant`). */
  reason?: string;
  message?: string;
  retryAfterSeconds?: number;
  delayMs?: number;
  /** The request is carried out before it fails. */
  isCarriedOut?: boolean;
  /** How many requests it befalls; by default one, with a rate all. */
  times?: number;
  /** It befalls this part of the requests, by chance. */
  rate?: number;
};

export type Faults = {
  set(fault: Fault): void;
  clear(): void;
  /** The fault that befalls this request, counted off. */
  take(operation: Operation, address: string | null): Fault | undefined;
};

export function openFaults(random: Random): Faults {
  const faults: { fault: Fault; left: number }[] = [];
  return {
    set: (fault) => {
      faults.push({ fault, left: fault.times ?? (fault.rate === undefined ? 1 : Number.POSITIVE_INFINITY) });
    },
    clear: () => {
      faults.length = 0;
    },
    take: (operation, address) => {
      const at = faults.findIndex(
        ({ fault }) =>
          (fault.on === 'any' || fault.on === operation) &&
          (fault.address === undefined || fault.address.toLowerCase() === address) &&
          (fault.rate === undefined || random.fraction() < fault.rate),
      );
      const taken = faults[at];
      if (taken === undefined) return undefined;
      taken.left--;
      if (taken.left < 1) faults.splice(at, 1);
      return taken.fault;
    },
  };
}

/** The answer of a fault of kind `status`. */
export function faultAnswer({ status = 503, reason, message, retryAfterSeconds }: Fault, operation: Operation): Answer {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (operation === 'token') {
    const body = { error: reason ?? 'internal_failure', error_description: message ?? 'Bad Request' };
    return { status, body, headers };
  }
  return refusal(status, message ?? 'The service failed by script.', reason, headers);
}
