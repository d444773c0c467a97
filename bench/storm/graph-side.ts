import { setTimeout as sleep } from 'node:timers/promises';
import { asProven } from '../../emulators/customer-mail.ts';
import { commandOf, commonOf, refusalsInARow, type Side, tallyOf, wholeList } from './side.ts';

type Item = { id: string; conversationId: string; folder: string };
type Subscription = { id: string; address: string; end: string | null };

const resets = ['410', 'syncStateNotFound', 'SyncStateNotFound', 'resyncRequired'];

const noise = {
  dropRate: 0.2,
  duplicateRate: 0.15,
  reorderRate: 0.2,
  delayRate: 0.2,
  emptyPageRate: 0.05,
  replayRate: 0.05,
  deltaLagMs: 30,
  deltaLinkRefusalRate: 0.05,
  clientStateNullRate: 0.03,
  mimeFailureRate: 0.03,
};
const silence = Object.fromEntries(Object.keys(noise).map((name) => [name, 0]));
const lateCopyMs = 1_500;
/** A delta link that reached its limit stays that way, so that the service must find the mails that it hides. */
const oddities = { sentDelayMs: lateCopyMs, filteredDeltaMax: 200, filteredDeltaMaxIsForLife: true };

/** At random, until cleared. */
const faults = [
  { on: '*', status: 429, retryAfterSeconds: 1, rate: 0.01 },
  { on: '*', status: 503, rate: 0.01 },
  { on: '*', kind: 'broken', isCarriedOut: true, rate: 0.005 },
  { on: 'token', status: 503, rate: 0.02 },
  { on: 'send', status: 504, isCarriedOut: true, rate: 0.05 },
  { on: 'send', kind: 'broken', isCarriedOut: true, rate: 0.05 },
  { on: 'send', status: 503, rate: 0.05 },
  { on: 'send', status: 429, isCarriedOut: true, rate: 0.03 },
  { on: 'send', status: 403, code: 'ErrorMessageSubmissionBlocked', rate: 0.02 },
  { on: 'message.get', status: 404, rate: 0.03 },
  { on: 'mime', status: 404, rate: 0.02 },
  { on: '*', status: 400, isEmpty: true, rate: 0.005 },
].map((fault) => ({ ...fault, times: null }));
/** Rare, since each keeps a mailbox waiting for half a minute. */
const stalls = [
  { on: 'delta', kind: 'stalled', times: 2 },
  { on: 'mime', kind: 'stalled', times: 2 },
];

/** @param hasStalls also leaves requests without an answer, which the service notices after half a minute */
export function graphSide(url: string, { hasStalls }: { hasStalls: boolean }): Side {
  const command = commandOf(url);
  const subscriptionsOf = async (address: string) =>
    (await command<Subscription[]>('subscriptions')).filter((one) => one.address === address);
  return {
    provider: 'mail-a',
    ...commonOf(command, (raw) => asProven(raw, 'exchange')),
    contents: async (address) => {
      const items = await command<Item[]>('messages', { address });
      const found = items.filter(({ folder }) => ['inbox', 'sentitems', 'archive'].includes(folder));
      return Promise.all(
        found.map(async ({ id, conversationId, folder }) => {
          const { raw } = await command<{ raw: string }>('raw', { address, id });
          return {
            folder: folder === 'sentitems' ? ('sent' as const) : ('inbox' as const),
            isFiled: folder === 'archive',
            threadId: conversationId,
            raw: Buffer.from(raw, 'base64'),
          };
        }),
      );
    },
    file: async (address, id, how) => {
      await command('move', { address, id, folder: 'archive' });
      if (how === 'filed and brought back') await command('move', { address, id, folder: 'inbox' });
    },
    refuseTokens: async (address) => {
      await command('setFault', { fault: { on: '*', address, status: 401, times: refusalsInARow } });
    },
    loseHistory: async (address, way) => {
      await command('resetDelta', { address, how: resets[way % resets.length] });
    },
    makeNoise: async () => {
      await command('behave', { changes: { ...noise, ...oddities, accessTokenSeconds: 100 } });
      for (const fault of hasStalls ? [...faults, ...stalls] : faults) await command('setFault', { fault });
    },
    endNoise: async () => {
      await command('clearFaults');
      await command('behave', { changes: { ...silence, sentDelayMs: 50, accessTokenSeconds: 3_599 } });
      // By then the copies of the last sent mails are filed.
      await sleep(lateCopyMs);
    },
    loseNotifications: async () => void (await command('behave', { changes: { dropRate: 1 } })),
    trouble: async (address, kind) => {
      const events = {
        'reauthorization-required': 'reauthorizationRequired',
        removed: 'subscriptionRemoved',
        missed: 'missed',
      };
      if (kind === 'keys-rotated') return;
      const ids = (await subscriptionsOf(address)).filter(({ end }) => end === null).map(({ id }) => id);
      await command('lifecycle', { event: events[kind], ids });
    },
    watches: async (address) =>
      (await subscriptionsOf(address)).map(({ id, end }) => ({
        subscriptionId: id,
        isLive: end === null,
        hasLapsed: end === 'expired',
      })),
    tally: async () => {
      const requests = await wholeList<{ status: number | null }>(command, 'requests');
      const misuses = await command<string[]>('misuses');
      return { requests: requests.length, faults: tallyOf(requests.map(({ status }) => status)), misuses };
    },
  };
}
