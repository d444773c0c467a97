import type { Habit } from '../../emulators/customer-mail.ts';
import type { ProviderName } from '../../src/mail/provider.ts';

/**
 * A mail provider's emulator, which runs in any process and is told what to do over HTTP, by the same words for each.
 * Mail goes in and out as it is on the wire.
 */
export type Side = {
  provider: ProviderName;
  /** @returns a refresh token, as a consent would have given it */
  addMailbox(address: string): Promise<string>;
  /** @returns the provider's id of it */
  deliver(address: string, raw: Buffer): Promise<string>;
  /** Somebody archives a mail, or does so and takes it back. */
  file(address: string, id: string, how: 'filed' | 'filed and brought back'): Promise<void>;
  /** By the mailbox's person, in the provider's own client. */
  sendByHand(address: string, raw: Buffer): Promise<void>;
  /** What a customer got, oldest first; without one, everybody. */
  received(customer?: string): Promise<ReceivedMail[]>;
  setHabit(customer: string, habit: Habit): Promise<void>;
  /** What lies in inbox and sent folder, or was filed. */
  contents(address: string): Promise<KeptMail[]>;
  /** From where on the service has read is no longer known. */
  loseHistory(address: string, way: number): Promise<void>;
  expireAccess(address: string): Promise<void>;
  /** The API takes no token for a while, however new. */
  refuseTokens(address: string): Promise<void>;
  /** Losses, repeats and disorder of notifications, and requests that fail, also where they were carried out. */
  makeNoise(): Promise<void>;
  endNoise(): Promise<void>;
  /** From now on the provider tells of nothing. */
  loseNotifications(): Promise<void>;
  /** What the provider says of a watch that it minds, or changes behind our back. */
  trouble(address: string, kind: WatchTrouble): Promise<void>;
  watches(address: string): Promise<WatchSeen[]>;
  /** Requests that were answered otherwise than well, by their status; what the client must not do, in sentences. */
  tally(): Promise<{ requests: number; faults: Record<string, number>; misuses: string[] }>;
};

type ReceivedMail = { id: string; to: string; raw: Buffer };
type KeptMail = { folder: 'inbox' | 'sent'; threadId: string; raw: Buffer };
type WatchSeen = { subscriptionId: string | null; isLive: boolean; hasLapsed: boolean };

export const watchTroubles = ['reauthorization-required', 'removed', 'missed', 'keys-rotated'] as const;
type WatchTrouble = (typeof watchTroubles)[number];

/** What an emulator is told, by the name of its command. */
export type Command = <Answer = unknown>(name: string, members?: object) => Promise<Answer>;

export function commandOf(url: string): Command {
  return async <Answer>(name: string, members: object = {}) => {
    const response = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(members) });
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    // Whoever gives the command knows what it answers.
    return body as Answer;
  };
}

type Told = 'addMailbox' | 'deliver' | 'sendByHand' | 'received' | 'setHabit' | 'expireAccess';

/** What both emulators are told in the same words. */
export function commonOf(command: Command): Pick<Side, Told> {
  const inBase64 = (raw: Buffer) => ({ raw: raw.toString('base64') });
  return {
    addMailbox: async (address) => {
      const { refreshToken } = await command<{ refreshToken: string }>('addMailbox', { address });
      return refreshToken;
    },
    deliver: async (address, raw) => (await command<{ id: string }>('deliver', { address, ...inBase64(raw) })).id,
    sendByHand: async (address, raw) => void (await command('sendByHand', { address, ...inBase64(raw) })),
    received: async (address) => {
      const mails = await command<{ id: string; to: string; raw: string }[]>('received', { address });
      return mails.map(({ id, to, raw }) => ({ id, to, raw: Buffer.from(raw, 'base64') }));
    },
    setHabit: async (address, habit) => void (await command('setHabit', { address, habit })),
    expireAccess: async (address) => void (await command('expireAccess', { address })),
  };
}

/** Of tokens that are as good as ever. */
export const refusalsInARow = 30;

export function tallyOf(statuses: readonly (number | string | null)[]): Record<string, number> {
  const faults: Record<string, number> = {};
  for (const status of statuses) {
    if (typeof status === 'number' && status < 400) continue;
    const name = String(status ?? 'no answer');
    faults[name] = (faults[name] ?? 0) + 1;
  }
  return faults;
}
