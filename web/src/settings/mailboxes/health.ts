import type { components } from '../../api/schema.d.ts';
import { fullTime } from '../../lib/dates.ts';
import { outOfReachSince } from '../../tickets/mailbox-state.ts';
import { reasonWords, words } from '../../words/words.ts';

export type Mailbox = components['schemas']['Mailbox'];
export type Tone = 'good' | 'pending' | 'bad';
/**
 * `what` fits into a line of a list. `why` and `help` are whole sentences. `said` is the English sentence of the
 * service, if `why` translates it.
 */
export type Health = { tone: Tone; what: string; why: string | null; said: string | null; help: string | null };

/** How a mailbox is, in words. The worst trouble comes first, because it hides all other troubles. */
export function healthOf(mailbox: Mailbox, now = new Date()): Health {
  const { status, sendStatus, lastSyncedAt } = mailbox;
  const reading = { key: mailbox.statusReasonKey, said: mailbox.statusReason };
  const sending = { key: mailbox.sendStatusReasonKey, said: mailbox.sendStatusReason };
  const isOurs = mailbox.provider === 'imap';
  if (status === 'reauthorization_required') return health('bad', isOurs ? 'password' : 'consent', reading);
  if (status === 'error') return health('bad', 'error', reading);
  if (status === 'paused') return health('pending', 'paused', noReason);
  if (sendStatus === 'error') return health('bad', 'sending', sending);
  const since = outOfReachSince(mailbox, now);
  if (since !== null) return health('bad', 'away', noReason, { time: fullTime(since) });
  if (reading.said !== null) return health('pending', isOurs ? 'noted' : 'slow', reading);
  if (lastSyncedAt === null) return health('pending', 'first', noReason);
  return { tone: 'good', what: words('mailboxes.good'), why: null, said: null, help: null };
}

type Trouble = 'consent' | 'error' | 'paused' | 'sending' | 'away' | 'slow' | 'password' | 'noted' | 'first';

type Reason = { key: string | null; said: string | null };
const noReason: Reason = { key: null, said: null };

function health(tone: Tone, trouble: Trouble, { key, said }: Reason, values: Record<string, string> = {}): Health {
  const translated = reasonWords(key);
  return {
    tone,
    what: words(`mailboxes.${trouble}`, values),
    why: translated ?? said,
    said: translated === undefined ? null : said,
    help: words(`mailboxes.${trouble}.help`),
  };
}
