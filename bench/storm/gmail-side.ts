import { asProven } from '../../emulators/customer-mail.ts';
import { commandOf, commonOf, refusalsInARow, type Side, tallyOf, wholeList } from './side.ts';

type Stored = { threadId: string; labelIds: string[]; raw: string };
type Watch = { state: 'active' | 'lapsed' | 'replaced' | 'stopped' };

const pushFaults = { drop: 0.2, duplicate: 0.15, reorder: 0.2, nack: 0.05, delayMs: 500 };

/** At random, until cleared. */
const faults = [
  { on: 'any', status: 429, reason: 'rateLimitExceeded', retryAfterSeconds: 1, rate: 0.01 },
  { on: 'any', status: 503, reason: 'backendError', rate: 0.01 },
  { on: 'any', kind: 'broken', rate: 0.005 },
  { on: 'any', status: 400, reason: 'failedPrecondition', rate: 0.01 },
  { on: 'messages.get', status: 404, reason: 'notFound', rate: 0.03 },
  { on: 'token', status: 503, rate: 0.02 },
  { on: 'messages.send', status: 504, isCarriedOut: true, rate: 0.05 },
  { on: 'messages.send', kind: 'broken', isCarriedOut: true, rate: 0.05 },
];
/**
 * Slow faults. After a failed send the service looks for the mail for two minutes before it sends again. A stalled
 * request takes half a minute.
 */
const slowFaults = [
  { on: 'messages.send', status: 503, reason: 'backendError', rate: 0.03 },
  { on: 'history.list', kind: 'stalled', times: 2 },
  { on: 'messages.get', kind: 'stalled', times: 2 },
];

export function gmailSide(url: string, { hasStalls }: { hasStalls: boolean }): Side {
  const command = commandOf(url);
  return {
    provider: 'mail-b',
    ...commonOf(command, (raw) => asProven(raw, 'gmail')),
    contents: async (address) => {
      const mails = await command<Stored[]>('mails', { address });
      return mails.map(({ threadId, labelIds, raw }) => {
        const isSent = labelIds.includes('SENT') && !labelIds.includes('INBOX');
        return {
          folder: isSent ? 'sent' : 'inbox',
          isFiled: !isSent && !labelIds.includes('INBOX'),
          threadId,
          raw: Buffer.from(raw, 'base64'),
        };
      });
    },
    file: async (address, id, how) => {
      await command('relabel', { address, id, change: { remove: ['INBOX'] } });
      if (how === 'filed and brought back') await command('relabel', { address, id, change: { add: ['INBOX'] } });
    },
    refuseTokens: async (address) => {
      await command('setFault', { on: 'any', address, status: 401, reason: 'authError', times: refusalsInARow });
    },
    loseHistory: async (address) => void (await command('setHistoryFloor', { address, historyId: 'now' })),
    makeNoise: async () => {
      await command('setPushFaults', pushFaults);
      for (const fault of hasStalls ? [...faults, ...slowFaults] : faults) await command('setFault', fault);
    },
    endNoise: async () => void (await command('clearFaults')),
    loseNotifications: async () => void (await command('setPushFaults', { drop: 1 })),
    trouble: async (_address, kind) => {
      if (kind === 'keys-rotated') await command('rotatePushKeys', { keepsOld: true });
    },
    watches: async (address) => {
      const watches = await command<Watch[]>('watches', { address });
      return watches.map(({ state }) => ({
        subscriptionId: null,
        isLive: state === 'active',
        hasLapsed: state === 'lapsed',
      }));
    },
    tally: async () => {
      const requests = await wholeList<{ status: number | string | null }>(command, 'requests');
      return { requests: requests.length, faults: tallyOf(requests.map(({ status }) => status)), misuses: [] };
    },
  };
}
