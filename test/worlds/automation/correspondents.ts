import { openSmtp } from '../../../src/mail/providers/smtp.ts';
import type { House } from '../../harness/harness.ts';
import { openSmtpPeer, type ReceivedMail } from '../../peers/smtp-peer.ts';
import type { Person } from '../factories.ts';
import { ingestMails, sourceOf } from '../mails.ts';
import { runRulesNow } from '../rules.ts';

/** Whoever gets the mail of a service, and what they write back. */
export type Correspondent = (mail: ReceivedMail) => Promise<ReceivedMail[]> | ReceivedMail[];

/** More rounds would be a loop that nothing ends. */
const roundsMax = 30;

/** A service whose mail leaves by SMTP, and all that it has sent. */
export async function openPost(house: House, owner: Person) {
  const peer = await openSmtpPeer();
  const mail = openSmtp(peer.url);
  const former = house.app.mail;
  house.app.mail = mail;
  let taken = 0;
  const take = async (): Promise<ReceivedMail[]> => {
    // The drain alone leaves facts that an open transaction, of whichever test, still holds up.
    await runRulesNow(house, owner);
    await house.drain();
    const sent = peer.received.slice(taken);
    taken += sent.length;
    return sent;
  };
  const receive = async ({ from, to, raw }: ReceivedMail): Promise<void> => {
    const source = { ...sourceOf(house, owner), envelope: { from, to } };
    await ingestMails(house.app, source, [Buffer.from(raw)]);
  };
  return {
    sent: peer.received,
    take,
    receive,
    close: async () => {
      house.app.mail = former;
      await mail.close();
      await peer.close();
    },
  };
}
export type Post = Awaited<ReturnType<typeof openPost>>;

/** Carries mail to and fro until nobody writes any more. */
export async function correspond(post: Post, first: ReceivedMail, correspondent: Correspondent): Promise<void> {
  let coming = [first];
  for (let round = 0; round < roundsMax && coming.length > 0; round++) {
    for (const mail of coming) await post.receive(mail);
    const answers: ReceivedMail[] = [];
    for (const mail of await post.take()) answers.push(...(await correspondent(mail)));
    coming = answers;
  }
}

/** The value of a header; empty without one. */
export function headerOf({ raw }: Pick<ReceivedMail, 'raw'>, name: string): string {
  return new RegExp(`^${name}: (.*)\\r?$`, 'im').exec(raw)?.[1] ?? '';
}

let count = 0;
/** A mail with its envelope. */
export function letter(
  from: string,
  to: string,
  { headers = {}, body = 'I am away.' }: { headers?: Record<string, string>; body?: string } = {},
): ReceivedMail {
  const fields = { From: from, To: to, Subject: 'A question', 'Message-ID': `<l${++count}@example.net>`, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return { from, to: [to], raw: `${lines.join('\r\n')}\r\n\r\n${body}\r\n` };
}
