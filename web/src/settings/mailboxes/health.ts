import type { components } from '../../api/schema.d.ts';
import { fullTime } from '../../lib/dates.ts';
import { words } from '../../words/words.ts';

export type Mailbox = components['schemas']['Mailbox'];
export type Tone = 'good' | 'pending' | 'bad';
/** `what` fits into a line of a list. `why` and `help` are whole sentences. */
export type Health = { tone: Tone; what: string; why: string | null; help: string | null };

/** A read that fails once or twice is nothing to worry about. */
const patienceMs = 10 * 60_000;

/** How a mailbox is, in words. The worst trouble comes first, because it hides the others. */
export function healthOf(mailbox: Mailbox, now = new Date()): Health {
  const { status, statusReason, sendStatus, sendStatusReason, lastSyncedAt } = mailbox;
  if (status === 'reauthorization_required') return health('bad', 'consent', statusReason);
  if (status === 'error') return health('bad', 'error', statusReason);
  if (status === 'paused') return health('pending', 'paused', null);
  if (sendStatus === 'error') return health('bad', 'sending', sendStatusReason);
  const since = outOfReachSince(mailbox, now);
  if (since !== null) return health('bad', 'away', null, { time: fullTime(since) });
  if (statusReason !== null) return health('pending', 'slow', statusReason);
  if (lastSyncedAt === null) return health('pending', 'first', null);
  return { tone: 'good', what: words('mailboxes.good'), why: null, help: null };
}

/** Since when the provider has been out of reach for a mailbox that should be read; null while it answers. */
function outOfReachSince({ status, unreachableSince }: Mailbox, now: Date): string | null {
  if (status !== 'active' || unreachableSince === null) return null;
  return now.getTime() - Date.parse(unreachableSince) < patienceMs ? null : unreachableSince;
}

type Trouble = 'consent' | 'error' | 'paused' | 'sending' | 'away' | 'slow' | 'first';

function health(tone: Tone, trouble: Trouble, why: string | null, values: Record<string, string> = {}): Health {
  return { tone, what: words(`mailboxes.${trouble}`, values), why, help: words(`mailboxes.${trouble}.help`) };
}
