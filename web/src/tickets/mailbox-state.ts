import type { components } from '../api/schema.d.ts';

type Mailbox = components['schemas']['Mailbox'];

/** A read that fails once or twice is nothing to worry about. */
const patienceMs = 10 * 60_000;

/** Since when the provider has been out of reach for a mailbox that should be read; null while it answers. */
export function outOfReachSince(
  { status, unreachableSince }: Pick<Mailbox, 'status' | 'unreachableSince'>,
  now = new Date(),
): string | null {
  if (status !== 'active' || unreachableSince === null) return null;
  return now.getTime() - Date.parse(unreachableSince) < patienceMs ? null : unreachableSince;
}

/** Whether mail leaves through a mailbox now. One whose reading fails may still send. */
export function canSend({ status, sendStatus }: Pick<Mailbox, 'status' | 'sendStatus'>): boolean {
  return (status === 'active' || status === 'error') && sendStatus === 'active';
}
