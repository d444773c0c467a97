import { openGmailEmulator } from '../../emulators/gmail.ts';
import { openGraphEmulator } from '../../emulators/graph.ts';
import type { App } from '../../src/app.ts';
import type { MessageId, TicketId } from '../../src/ground/lib/ids.ts';
import type { ProviderAccount } from '../../src/mail/provider.ts';
import type { OAuthKey } from '../../src/mail/providers/registry.ts';
import { deliverMail } from '../../src/transport/mailflow/sending/deliver.ts';
import type { House } from '../harness/harness.ts';
import type { Person } from './factories.ts';
import { withAccounts } from './with-accounts.ts';

/** The sending part of a provider's emulator, with the same words for each. */
export type HostedSide = {
  provider: OAuthKey;
  /** @returns a refresh token, as from a new consent */
  consent(address: string): string;
  /** The mails that a customer received, oldest first. */
  received(customer: string): Buffer[];
  /** Delivers a customer's mail. */
  deliver(address: string, mail: { from: string; subject: string; text: string }): Promise<unknown>;
  /** Makes the next sent mail fail. */
  failSend(options: { isCarriedOut: boolean }): void;
  breakSend(): void;
  throttleSend(retryAfterSeconds: number): void;
  refuseSend(code: string): void;
  revoke(address: string): void;
  /** No mailbox has this address. */
  bounceFrom(customer: string): void;
  /** Whether the provider sends through drafts, which show whether they left. */
  hasDrafts: boolean;
  draftsIn(address: string): number;
  /** Conversations in a mailbox, as the provider groups them. */
  threadsIn(address: string): number;
};

/** Both providers' emulators. They follow the house's clock once the house is open. */
export async function openHosted(now: () => Date) {
  const gmail = await openGmailEmulator({ now });
  const graph = await openGraphEmulator({ now, behaviour: { sentDelayMs: 0 } });
  const sides: Record<OAuthKey, HostedSide> = {
    'mail-a': {
      provider: 'mail-a',
      consent: (address) => graph.addMailbox({ address }).refreshToken,
      received: (customer) => graph.received(customer).map(({ raw }) => raw),
      deliver: (address, mail) => graph.deliver(address, mail),
      failSend: ({ isCarriedOut }) => graph.setFault({ on: 'send', status: 504, isCarriedOut }),
      breakSend: () => graph.setFault({ on: 'send', kind: 'broken', isCarriedOut: true }),
      throttleSend: (retryAfterSeconds) => graph.setFault({ on: 'send', status: 429, retryAfterSeconds }),
      refuseSend: (code) => graph.setFault({ on: 'send', status: 400, code }),
      revoke: graph.revoke,
      bounceFrom: (customer) => graph.setHabit(customer, 'bounces'),
      hasDrafts: true,
      draftsIn: (address) => graph.messages(address, 'drafts').length,
      threadsIn: (address) => new Set(graph.messages(address).map(({ conversationId }) => conversationId)).size,
    },
    'mail-b': {
      provider: 'mail-b',
      consent: (address) => gmail.addMailbox({ address }).refreshToken,
      received: (customer) => gmail.received(customer).map(({ raw }) => raw),
      deliver: (address, mail) => gmail.deliver(address, mail),
      failSend: ({ isCarriedOut }) => gmail.setFault({ on: 'messages.send', status: 504, isCarriedOut }),
      breakSend: () => gmail.setFault({ on: 'messages.send', kind: 'broken', isCarriedOut: true }),
      throttleSend: (retryAfterSeconds) =>
        gmail.setFault({ on: 'messages.send', status: 429, reason: 'rateLimitExceeded', retryAfterSeconds }),
      refuseSend: (code) =>
        gmail.setFault({ on: 'messages.send', status: 400, reason: 'invalidArgument', message: code }),
      revoke: gmail.revoke,
      bounceFrom: (customer) => gmail.setHabit(customer, 'bounces'),
      hasDrafts: false,
      draftsIn: (address) => gmail.mails(address).filter(({ labelIds }) => [...labelIds].includes('DRAFT')).length,
      threadsIn: (address) => new Set(gmail.mails(address).map(({ threadId }) => threadId)).size,
    },
  };
  return {
    graph,
    sides,
    settings: {
      ...gmail.settings,
      ...graph.settings,
      MAIL_A_WEBHOOK_SECRET: 'a secret of the tests',
    },
    close: () => Promise.all([gmail.close(), graph.close()]),
  };
}

/** An agent's mail, and its recipient. */
export type Written = { ticketId: TicketId; messageId: MessageId; to: string };

/** People who write through a provider's mailbox. */
export function hostedDesk(house: House, side: HostedSide, people: () => { owner: Person; agent: Person }) {
  let written = 0;
  return {
    /** @returns the mailbox's id */
    connect: async (address: string, options: object = {}): Promise<string> => {
      const { status, body } = await people().owner.call('POST', '/mailboxes', {
        provider: side.provider,
        address,
        refreshToken: side.consent(address),
        ...options,
      });
      if (status !== 201) throw new Error(`not connected: ${JSON.stringify(body)}`);
      return body.id;
    },
    /** An agent's first mail of a ticket, to a new customer. */
    write: async (mailboxId: string, options: object = {}): Promise<Written> => {
      const { owner, agent } = people();
      const to = `c${++written}@${side.provider}.example.org`;
      const mail = { subject: `Printer ${written}`, body: 'Try again.', sendEmail: true, toAddresses: [to], mailboxId };
      const { body } = await agent.call('POST', '/tickets', { ...mail, ...options });
      const { body: ticket } = await owner.call('GET', `/tickets/${body.id}`);
      return { ticketId: body.id, messageId: ticket.messages[0].id, to };
    },
    /** Runs the job that sends the mail, once. */
    run: (app: App, { messageId }: Pick<Written, 'messageId'>, attempt = 1) =>
      deliverMail(app, { workspaceId: people().owner.workspaceId, messageId }, { attempt, attemptsMax: 19 }),
    ticketOf: async ({ ticketId }: Pick<Written, 'ticketId'>): Promise<any> =>
      (await people().owner.call('GET', `/tickets/${ticketId}`)).body,
    deliveryOf: async ({ ticketId, messageId }: Written): Promise<any> => {
      const { body } = await people().owner.call('GET', `/tickets/${ticketId}`);
      return body.messages.find(({ id }: { id: string }) => id === messageId).delivery;
    },
    steer: (verb: 'retry' | 'cancel', { ticketId, messageId }: Written) =>
      people().agent.call('POST', `/tickets/${ticketId}/messages/${messageId}/${verb}`),
    bent: (bend: (account: ProviderAccount) => Partial<ProviderAccount>) =>
      withAccounts(house.app, side.provider, bend),
  };
}
