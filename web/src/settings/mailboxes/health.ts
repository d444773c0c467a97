import type { components } from '../../api/schema.d.ts';
import { fullTime } from '../../lib/dates.ts';
import { outOfReachSince } from '../../tickets/out-of-reach.ts';
import { words } from '../../words/words.ts';

export type Mailbox = components['schemas']['Mailbox'];
export type Tone = 'good' | 'pending' | 'bad';
/** `what` fits into a line of a list. `why` and `help` are whole sentences. */
export type Health = { tone: Tone; what: string; why: string | null; help: string | null };

/** How a mailbox is, in words. The worst trouble comes first, because it hides the others. */
export function healthOf(mailbox: Mailbox, now = new Date()): Health {
  const { status, statusReason, sendStatus, sendStatusReason, lastSyncedAt } = mailbox;
  const isOurs = mailbox.provider === 'imap';
  if (status === 'reauthorization_required') return health('bad', isOurs ? 'password' : 'consent', statusReason);
  if (status === 'error') return health('bad', 'error', statusReason);
  if (status === 'paused') return health('pending', 'paused', null);
  if (sendStatus === 'error') return health('bad', 'sending', sendStatusReason);
  const since = outOfReachSince(mailbox, now);
  if (since !== null) return health('bad', 'away', null, { time: fullTime(since) });
  if (statusReason !== null) return health('pending', isOurs ? 'noted' : 'slow', statusReason);
  if (lastSyncedAt === null) return health('pending', 'first', null);
  return { tone: 'good', what: words('mailboxes.good'), why: null, help: null };
}

type Trouble = 'consent' | 'error' | 'paused' | 'sending' | 'away' | 'slow' | 'password' | 'noted' | 'first';

function health(tone: Tone, trouble: Trouble, why: string | null, values: Record<string, string> = {}): Health {
  return { tone, what: words(`mailboxes.${trouble}`, values), why, help: words(`mailboxes.${trouble}.help`) };
}
