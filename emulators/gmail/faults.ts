/** Faults that a script makes requests run into. */

import type { Random } from '../random.ts';
import { type Answer, refusal } from './answer.ts';

/** Operations as Google names them. `token` is the token endpoint. */
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
  /** Limits the fault to one mailbox. */
  address?: string;
  /** Default `status`. `stalled` never answers, `broken` drops the connection, `slow` answers after `delayMs`. */
  kind?: 'status' | 'stalled' | 'broken' | 'slow';
  status?: number;
  /** Google's reason (`rateLimitExceeded`); at the token endpoint its error (`invalid_grant`). */
  reason?: string;
  message?: string;
  retryAfterSeconds?: number;
  delayMs?: number;
  /** Carries out the request before it fails. */
  isCarriedOut?: boolean;
  /** How many requests fail. Default: one request; with a `rate`, all requests. */
  times?: number;
  /** The share of requests that fail, drawn at random. */
  rate?: number;
};

export type Faults = {
  set(fault: Fault): void;
  clear(): void;
  /** The fault for this request, which also counts down its `times`. */
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

export function faultAnswer({ status = 503, reason, message, retryAfterSeconds }: Fault, operation: Operation): Answer {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (operation === 'token') {
    const body = { error: reason ?? 'internal_failure', error_description: message ?? 'Bad Request' };
    return { status, body, headers };
  }
  return refusal(status, message ?? 'The service failed by script.', reason, headers);
}
