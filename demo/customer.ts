import { randomInt, randomUUID } from 'node:crypto';
import { parseMail } from '@kontor/mail/parse.ts';
import { answerTo, type MailFields, writeMail } from '../emulators/customer-mail.ts';
import { openGmailEmulator } from '../emulators/gmail.ts';
import { openGraphEmulator } from '../emulators/graph.ts';
import type { ProviderKey } from '../src/mail/providers/registry.ts';

/** The demo's two mailboxes, each at a provider that this process emulates. */
export const mailboxes: readonly { provider: ProviderKey; address: string; at: string }[] = [
  { provider: 'mail-a', address: 'support@radwerk.example', at: 'Microsoft 365' },
  { provider: 'mail-b', address: 'support@radwerk-shop.example', at: 'Gmail' },
];

/** Both providers, and a customer of the workshop. Their mail disappears when the demo ends. */
export type Outside = {
  settings: Record<string, string>;
  /** Sets where the service takes notifications. */
  lead(serviceUrl: string): void;
  /** @returns a refresh token, as from a consent */
  consent(provider: ProviderKey, address: string): string;
  /** Sends a mail of the customer. @returns its Message-ID */
  write(mail: { to: string; subject: string; text: string }): Promise<string>;
  reply(receivedId: string, text: string): Promise<string>;
  /** The customer's sent and received mails, oldest first. */
  mails(): Promise<CustomerMail[]>;
};

type CustomerMail = {
  id: string;
  kind: 'written' | 'received';
  messageId: string;
  /** The address at the workshop. */
  mailbox: string;
  subject: string;
  text: string;
  files: string[];
  at: string;
};

export const customer = { name: 'Cora Lindqvist', email: 'cora@mail.example' };
const customerAddress = `${customer.name} <${customer.email}>`;

export async function openOutside(): Promise<Outside> {
  // A random seed, since the service still knows the mail ids of earlier starts.
  const graph = await openGraphEmulator();
  const gmail = await openGmailEmulator({ seed: randomInt(2 ** 31) });
  const written: CustomerMail[] = [];
  const read = new Map<string, CustomerMail>();

  const deliver = async (to: string, fields: MailFields): Promise<string> => {
    const messageId = `${randomUUID()}@${customer.email.split('@')[1]}`;
    const date = new Date();
    const raw = await writeMail({ ...fields, messageId, from: customerAddress }, { to, date });
    const provider = mailboxes.find(({ address }) => address === to)?.provider;
    if (provider === undefined) throw new Error(`there is no mailbox ${to}`);
    if (provider === 'mail-a') await graph.deliver(to, raw);
    else await gmail.deliver(to, raw);
    const { subject = '', text = '' } = fields;
    const mail = { id: messageId, kind: 'written' as const, messageId, mailbox: to, subject, text, files: [] };
    written.push({ ...mail, at: date.toISOString() });
    return messageId;
  };
  const received = () => [
    ...graph.received(customer.email).map(({ at, ...mail }) => ({ ...mail, at: at.toISOString() })),
    ...gmail.received(customer.email),
  ];

  return {
    settings: { ...graph.settings, ...gmail.settings, MAIL_A_WEBHOOK_SECRET: randomUUID() },
    lead: (serviceUrl) => gmail.configure({ endpoint: `${serviceUrl}/v1/webhooks/mail-b` }),
    consent: (provider, address) => (provider === 'mail-a' ? graph : gmail).addMailbox({ address }).refreshToken,
    write: ({ to, subject, text }) => deliver(to, { to: [to], subject, text }),
    reply: async (receivedId, text) => {
      const mail = received().find(({ id }) => id === receivedId);
      if (mail === undefined) throw new Error('there is no such mail');
      return deliver(mail.from, { ...answerTo(mail.raw, customerAddress), text });
    },
    mails: async () => {
      for (const mail of received()) if (!read.has(mail.id)) read.set(mail.id, await readMail(mail));
      return [...written, ...read.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
    },
  };
}

async function readMail(mail: { id: string; from: string; raw: Buffer; at: string }): Promise<CustomerMail> {
  const { id, from, at } = mail;
  const { messageId, subject, text, attachments } = await parseMail(mail.raw);
  const files = attachments.flatMap(({ fileName }) => fileName ?? []);
  return { id, kind: 'received', messageId: messageId ?? '', mailbox: from, subject, text, files, at };
}
