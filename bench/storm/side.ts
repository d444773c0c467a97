import type { Habit } from '../../emulators/customer-mail.ts';
import type { ProviderKey } from '../../src/mail/providers/registry.ts';

/**
 * A mail provider's emulator in another process, steered over HTTP by the same words for each provider. Mails go in and
 * out as raw bytes.
 */
export type Side = {
  provider: ProviderKey;
  /** @returns a refresh token, as from a consent */
  addMailbox(address: string): Promise<string>;
  /**
   * A mail that the provider found to come from its writer. Of any other, Kontor believes neither To nor Cc, so the
   * people there would open a ticket of their own if a reply to all overtook their mail.
   * @returns the provider's id of the mail
   */
  deliver(address: string, raw: Buffer): Promise<string>;
  /** A person archives a mail, and may move it back. */
  file(address: string, id: string, how: 'filed' | 'filed and brought back'): Promise<void>;
  /** The mailbox's user sends a mail in the provider's own client. */
  sendByHand(address: string, raw: Buffer): Promise<void>;
  /** The mails that one customer received, or all customers, oldest first. */
  received(customer?: string): Promise<ReceivedMail[]>;
  setHabit(customer: string, habit: Habit): Promise<void>;
  /** The mails in the inbox, the sent folder and the archive. */
  contents(address: string): Promise<KeptMail[]>;
  /** Invalidates the position up to which the service has read. */
  loseHistory(address: string, way: number): Promise<void>;
  expireAccess(address: string): Promise<void>;
  /** The API refuses all tokens for a while, new ones too. */
  refuseTokens(address: string): Promise<void>;
  /** Begins to lose, repeat and reorder notifications and to fail requests, some after they took effect. */
  makeNoise(): Promise<void>;
  endNoise(): Promise<void>;
  /** The provider sends no notifications from now on. */
  loseNotifications(): Promise<void>;
  /** The provider reports trouble with a watch, or changes it silently. */
  trouble(address: string, kind: WatchTrouble): Promise<void>;
  watches(address: string): Promise<WatchSeen[]>;
  /** Failed requests by status, and client mistakes as sentences. */
  tally(): Promise<{ requests: number; faults: Record<string, number>; misuses: string[] }>;
};

type ReceivedMail = { id: string; to: string; raw: Buffer };
type KeptMail = { folder: 'inbox' | 'sent'; isFiled: boolean; threadId: string; raw: Buffer };
type WatchSeen = { subscriptionId: string | null; isLive: boolean; hasLapsed: boolean };

export const watchTroubles = ['reauthorization-required', 'removed', 'missed', 'keys-rotated'] as const;
type WatchTrouble = (typeof watchTroubles)[number];

/** Sends a command to an emulator. */
export type Command = <Answer = unknown>(name: string, members?: object) => Promise<Answer>;

export function commandOf(url: string): Command {
  return async <Answer>(name: string, members: object = {}) => {
    const response = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(members) });
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    // Each caller knows the answer of its command.
    return body as Answer;
  };
}

type Told = 'addMailbox' | 'deliver' | 'sendByHand' | 'received' | 'setHabit' | 'expireAccess';

const pageMax = 2_000;

/** Asks for a long list in pages. */
export async function wholeList<Item>(command: Command, name: string, members: object = {}): Promise<Item[]> {
  const whole: Item[] = [];
  for (;;) {
    const page = await command<Item[]>(name, { ...members, after: whole.length, most: pageMax });
    whole.push(...page);
    if (page.length < pageMax) return whole;
  }
}

/**
 * The commands that both emulators share.
 * @param asKept a mail as the provider keeps it
 */
export function commonOf(command: Command, asKept: (raw: Buffer) => Buffer): Pick<Side, Told> {
  const inBase64 = (raw: Buffer) => ({ raw: raw.toString('base64') });
  return {
    addMailbox: async (address) => {
      const { refreshToken } = await command<{ refreshToken: string }>('addMailbox', { address });
      return refreshToken;
    },
    deliver: async (address, raw) =>
      (await command<{ id: string }>('deliver', { address, ...inBase64(asKept(raw)) })).id,
    sendByHand: async (address, raw) => void (await command('sendByHand', { address, ...inBase64(raw) })),
    received: async (address) => {
      const mails = await wholeList<{ id: string; to: string; raw: string }>(command, 'received', { address });
      return mails.map(({ id, to, raw }) => ({ id, to, raw: Buffer.from(raw, 'base64') }));
    },
    setHabit: async (address, habit) => void (await command('setHabit', { address, habit })),
    expireAccess: async (address) => void (await command('expireAccess', { address })),
  };
}

/** How often in a row valid tokens are refused. */
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
