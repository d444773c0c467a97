import { Webhook } from 'standardwebhooks';
import { deliverToWebhook } from '../../src/events/integrations/deliver.ts';
import { readMoment } from '../../src/ground/database/moment.ts';
import { sql } from '../../src/ground/database/sql.ts';
import type { TicketId } from '../../src/ground/lib/ids.ts';
import type { House } from '../harness/harness.ts';
import type { Received, Receiver } from '../harness/receiver.ts';
import { type Answer, makeOwner, type Person } from './factories.ts';

/** A webhook that points to a receiver, and its owner. */
export type Hook = {
  id: string;
  secret: string;
  owner: Person;
  /** Calls a path below `/webhooks/<the webhook>` as the owner, with a token that is valid at the house's time. */
  ask(method: string, path?: string, body?: object): Promise<Answer>;
  deliveries(query?: string): Promise<any[]>;
  /** Lets time pass, and sends the deliveries that are due by then. */
  later(milliseconds: number): Promise<void>;
  makeTicket(): Promise<TicketId>;
  /** Waits for older transactions that are still open, in any database of the server. */
  untilCertain(): Promise<void>;
  /** Does the worker's tasks after an event. */
  happen(): Promise<void>;
};

export async function makeHook(house: House, receiver: Receiver, input: object = {}): Promise<Hook> {
  const { app, clock } = house;
  const owner = await makeOwner(house);
  const { workspaceId, userId, sessionId } = owner;
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const token = app.tokens.sign({ userId, sessionId });
    return owner.call(method, path, body, { authorization: `Bearer ${token}` });
  };
  const { body } = await call('POST', '/webhooks', { url: receiver.url, ...input });
  const ask: Hook['ask'] = (method, path = '', sent) => call(method, `/webhooks/${body.id}${path}`, sent);
  return {
    id: body.id,
    secret: body.secret,
    owner,
    ask,
    deliveries: async (query = '') => (await ask('GET', `/deliveries${query}`)).body.items,
    later: async (milliseconds) => {
      clock.advance(milliseconds);
      await deliverToWebhook(app, { workspaceId, webhookId: body.id });
    },
    makeTicket: async () => (await call('POST', '/tickets', { subject: 'Broken', body: 'It broke' })).body.id,
    untilCertain: () => untilCertain(house, owner),
    happen: async () => {
      await untilCertain(house, owner);
      await house.drain();
    },
  };
}

/** Waits for older transactions that are still open. */
export async function untilCertain({ app }: House, { workspaceId }: Person): Promise<void> {
  const isWaiting = async () => {
    const { horizon } = await readMoment(app.db);
    const waiting = await app.db.maybe(sql`
      select from activity where workspace_id = ${workspaceId} and transaction_id >= ${horizon}::xid8 limit 1`);
    return waiting !== undefined;
  };
  while (await isWaiting());
}

/** The event, verified by the signing scheme's own library, which throws for a bad signature. */
export function verify(secret: string, { body, headers }: Received): any {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** The library's own signature. */
export function signatureOf(secret: string, { body, headers }: Received): string {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return new Webhook(secret).sign(String(headers['webhook-id']), at, body);
}

export function signaturesOn({ headers }: Received): string[] {
  return String(headers['webhook-signature']).split(' ');
}

export const typesOf = (received: readonly Received[]): string[] => received.map(({ body }) => JSON.parse(body).type);
export const idsOf = (received: readonly Received[]): unknown[] => received.map(({ headers }) => headers['webhook-id']);
