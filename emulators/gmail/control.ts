/** The emulator's commands over HTTP. */
import type { BounceOptions, Habit, MailFields } from '../customer-mail.ts';
import { type Paging, pageOf } from '../page-of.ts';
import type { Answer } from './answer.ts';
import type { Commands } from './commands.ts';
import type { Fault } from './faults.ts';
import type { StoredMail } from './mailbox.ts';
import type { Placing, ReceivedMail } from './post.ts';
import type { PushFaults } from './push.ts';
import type { PushTokenOrder, PushTokenVariant } from './push-token.ts';
import type { Settings } from './world.ts';

/** The parts of the emulator that other processes may use. */
export type Steered = Commands & { settings: Record<string, string> };

/** Arguments of all commands by name. A mail is `raw` in base64, or `mail` as fields. */
type Given = Fault & Partial<Settings> & Partial<PushFaults> & PushTokenOrder & Mail & Paging & Named;
type Mail = { raw?: string; mail?: MailFields };
type Named = {
  address: string;
  to: string;
  alias: string;
  verificationStatus?: 'accepted' | 'pending';
  scopes?: string[];
  placing?: Placing;
  recipients?: string[];
  receivedId: string;
  fields?: MailFields;
  options?: BounceOptions;
  habit: Habit | null;
  id: string;
  replacesId?: string;
  change: { add?: string[]; remove?: string[] };
  historyId: string;
  ms: number;
  isDenied: boolean;
  variant: PushTokenVariant;
  keepsOld?: boolean;
};

const commands: Record<string, (emulator: Steered, given: Given) => unknown> = {
  settings: (emulator) => emulator.settings,
  configure: (emulator, given) => emulator.configure(given),
  now: (emulator) => ({ now: emulator.now() }),
  advance: (emulator, { ms }) => emulator.advance(ms),
  addMailbox: (emulator, given) => emulator.addMailbox(given),
  rename: (emulator, { address, to }) => emulator.rename(address, to),
  addAlias: (emulator, { address, alias, verificationStatus }) => emulator.addAlias(address, alias, verificationStatus),
  mailboxes: (emulator) => emulator.mailboxes(),
  mails: (emulator, { address }) => emulator.mails(address).map(inBase64),
  deliver: (emulator, given) => emulator.deliver(given.address, mailOf(given), given.placing),
  carry: (emulator, given) => emulator.carry(mailOf(given), given.recipients),
  received: (emulator, given) => pageOf(emulator.received(given.address), given).map(inBase64),
  reply: (emulator, { receivedId, fields }) => emulator.reply(receivedId, fields),
  bounce: (emulator, { receivedId, options }) => emulator.bounce(receivedId, options),
  setHabit: (emulator, { address, habit }) => emulator.setHabit(address, habit),
  sendByHand: (emulator, given) => emulator.sendByHand(given.address, mailOf(given)),
  saveDraft: (emulator, given) => emulator.saveDraft(given.address, mailOf(given), given.replacesId),
  relabel: (emulator, { address, id, change }) => emulator.relabel(address, id, change),
  remove: (emulator, { address, id }) => emulator.remove(address, id),
  setHistoryFloor: (emulator, { address, historyId }) => emulator.setHistoryFloor(address, historyId),
  setFault: (emulator, given) => emulator.setFault(given),
  setPushFaults: (emulator, given) => emulator.setPushFaults(given),
  clearFaults: (emulator) => emulator.clearFaults(),
  revoke: (emulator, { address }) => emulator.revoke(address),
  expireAccess: (emulator, { address }) => emulator.expireAccess(address),
  denyConsent: (emulator, { isDenied }) => emulator.denyConsent(isDenied),
  mintPush: (emulator, given) => ({ token: emulator.mintPush(given) ?? null }),
  usePushToken: (emulator, { variant }) => emulator.usePushToken(variant),
  rotatePushKeys: (emulator, given) => emulator.rotatePushKeys(given),
  watches: (emulator, { address }) => emulator.watches(address),
  pushes: (emulator, given) => pageOf(emulator.pushes(), given),
  pushesSettled: (emulator) => emulator.pushesSettled(),
  requests: (emulator, given) => pageOf(emulator.requests(), given),
};

/** @returns 400 with the reason if the command fails */
export async function control(emulator: Steered, name: string, body: Buffer): Promise<Answer> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return { status: 404, body: { error: `no command ${name}` } };
  try {
    const result = await command(emulator, JSON.parse(body.length === 0 ? '{}' : body.toString()) as Given);
    return { status: 200, body: (result ?? {}) as object }; // Every command returns an object, a list or nothing.
  } catch (error) {
    return { status: 400, body: { error: (error as Error).message } };
  }
}

function mailOf({ raw, mail = {} }: Mail): Buffer | MailFields {
  return raw === undefined ? mail : Buffer.from(raw, 'base64');
}

function inBase64<Mail extends StoredMail | ReceivedMail>(mail: Mail): Omit<Mail, 'raw'> & { raw: string } {
  return { ...mail, raw: mail.raw.toString('base64') };
}
