import { parseMail } from '@kontor/mail/parse.ts';
import type { House } from './harness.ts';

/** Sends waiting mail, and returns the mails to an address, oldest first. */
export async function mailsTo(house: House, email: string) {
  await house.drain();
  const mails = await Promise.all((await house.outbox()).map((raw) => parseMail(Buffer.from(raw))));
  return mails.filter(({ to }) => to.some((address) => address.email.toLowerCase() === email.toLowerCase()));
}

/** The token of the newest link that was mailed to an address. Throws without such a link. */
export async function newestToken(house: House, email: string): Promise<string> {
  const mails = await mailsTo(house, email);
  const tokens = mails.flatMap(({ text }) => [...text.matchAll(/^\S+\?token=(\S+)$/gm)].map((match) => match[1]));
  const token = tokens.at(-1);
  if (token === undefined) throw new Error(`no link was mailed to ${email}`);
  return token;
}
