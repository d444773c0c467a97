/** The emulator's methods over HTTP. */
import type { MailFields } from './customer-mail.ts';
import type { GmailEmulator } from './gmail.ts';
import type { Answer } from './gmail-answer.ts';
import type { StoredMail } from './gmail-mailbox.ts';
import type { ReceivedMail } from './gmail-post.ts';

type Commands = Omit<GmailEmulator, 'close'>;

/** Arguments by name; a mail is `raw` in base64, else `mail` by its fields. */
// biome-ignore lint/suspicious/noExplicitAny: who steers the emulator is trusted to name its arguments rightly
type Arguments = any;

const commands: Record<string, (emulator: Commands, given: Arguments) => unknown> = {
  settings: (emulator) => emulator.settings,
  configure: (emulator, given) => emulator.configure(given),
  now: (emulator) => ({ now: emulator.now() }),
  advance: (emulator, { ms }) => emulator.advance(ms),
  addMailbox: (emulator, given) => emulator.addMailbox(given),
  mailboxes: (emulator) => emulator.mailboxes(),
  mails: (emulator, { address }) => emulator.mails(address).map(inBase64),
  deliver: (emulator, given) => emulator.deliver(given.address, mailOf(given), given.placing),
  carry: (emulator, given) => emulator.carry(mailOf(given)),
  received: (emulator, { address, after = 0 }) => emulator.received(address).slice(after).map(inBase64),
  answer: (emulator, { receivedId, fields }) => emulator.answer(receivedId, fields),
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
  pushes: (emulator, { after = 0 }) => emulator.pushes().slice(after),
  pushesSettled: (emulator) => emulator.pushesSettled(),
  requests: (emulator, { after = 0 }) => emulator.requests().slice(after),
};

/** @returns 400 with the reason where the command fails */
export async function control(emulator: Commands, name: string, body: Buffer): Promise<Answer> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return { status: 404, body: { error: `no command ${name}` } };
  try {
    const result = await command(emulator, body.length === 0 ? {} : JSON.parse(body.toString()));
    return { status: 200, body: (result ?? {}) as object }; // every command gives an object, a list or nothing
  } catch (error) {
    return { status: 400, body: { error: (error as Error).message } };
  }
}

function mailOf({ raw, mail = {} }: { raw?: string; mail?: MailFields }): Buffer | MailFields {
  return raw === undefined ? mail : Buffer.from(raw, 'base64');
}

function inBase64<Mail extends StoredMail | ReceivedMail>(mail: Mail): Omit<Mail, 'raw'> & { raw: string } {
  return { ...mail, raw: mail.raw.toString('base64') };
}
