import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type GmailEmulator, openGmailEmulator } from '../../emulators/gmail.ts';
import type { HostedMail, OAuthProvider, ProviderAccount, SendSteps } from '../../src/mail/provider.ts';
import { openGmail } from '../../src/mail/providers/gmail.ts';
import { clientOfKontor, keepAccess } from './provider-worlds.ts';

/** Gmail at another address. */
export function openGmailAt(url: string): OAuthProvider {
  return openGmail({
    apiUrl: url,
    tokenUrl: `${url}/token`,
    authorizeUrl: `${url}/o/oauth2/v2/auth`,
    client: clientOfKontor,
  });
}

/** An emulator of Gmail for a test file, without the faults of the test before. Call at the top of the file. */
export function useGmail() {
  const world = {} as { emulator: GmailEmulator; gmail: OAuthProvider };
  let count = 0;

  beforeAll(async () => {
    world.emulator = await openGmailEmulator({ unitsPerMinute: null });
    world.gmail = openGmailAt(world.emulator.url);
  });
  afterEach(() => {
    world.emulator.clearFaults();
    world.emulator.configure({ project: undefined, rewritesMessageIds: true, hidesHistoryLabels: false });
  });
  afterAll(async () => {
    await world.gmail.close();
    await world.emulator.close();
  });

  const openMailbox = (): { address: string; account: ProviderAccount } => {
    const { address, refreshToken } = world.emulator.addMailbox({ address: `support-${++count}@gmail.example.org` });
    return { address, account: world.gmail.openAccount(keepAccess(world.gmail, refreshToken)) };
  };
  return Object.assign(world, { openMailbox });
}

let mails = 0;

export function mailFrom(
  address: string,
  { to = 'cora@example.com', threadId = null }: { to?: string; threadId?: string | null } = {},
): HostedMail {
  const rfcMessageId = `answer-${++mails}@kontor.example.org`;
  const head = [
    `From: ${address}`,
    ...(to === '' ? [] : [`To: ${to}`]),
    'Subject: An answer',
    `Message-ID: <${rfcMessageId}>`,
    `X-Kontor-Message-ID: <${rfcMessageId}>`,
  ];
  const whole = () => Readable.from([Buffer.from(`${head.join('\r\n')}\r\n\r\nGood day.\r\n`)]);
  const envelope = { sender: address, recipients: [to] };
  return { ...envelope, rfcMessageId, threadId, bcc: [], whole, withoutFiles: whole, files: [] };
}

export function send(account: ProviderAccount, mail: HostedMail) {
  const steps: SendSteps = { draftId: null, onDraft: async () => {}, beforeSend: async () => {} };
  return account.send(mail, steps);
}
