import { beforeAll, beforeEach } from 'vitest';
import { sql } from '../../src/ground/database/sql.ts';
import type { House } from '../harness/harness.ts';
import { deliveryDesk } from './delivery-desk.ts';
import { makeMember, makeOwner, type Person } from './factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from './mails.ts';

const hourMs = 3_600_000;

/** A ticket of a customer for each test, and answers to it that leave later. Call it at the top of a test file. */
export function useScheduledDesk(house: House) {
  const people = {} as { owner: Person; ann: Person };
  const now = { ticket: undefined as any, mailId: '', mails: 0 };
  const { attempt, countSent, eventsOf, ...deliveries } = deliveryDesk(house, () => people.owner);

  beforeAll(async () => {
    people.owner = await makeOwner(house);
    people.ann = await makeMember(house, people.owner.workspaceId, 'agent');
  });
  beforeEach(async () => {
    now.mailId = `s${++now.mails}@example.org`;
    const headers = { 'Message-ID': `<${now.mailId}>`, Subject: `Order ${now.mails}` };
    await ingest(house, people.owner, [mailOf({ headers })]);
    now.ticket = (await ticketsOf(people.owner)).at(-1);
  });

  const later = (hours = 12) => new Date(house.clock.now().getTime() + hours * hourMs).toISOString();
  const post = (input: object = {}, by = people.ann) =>
    by.call('POST', `/tickets/${now.ticket.id}/messages`, {
      body: 'Off and on?',
      sendEmail: true,
      sendAt: later(),
      ...input,
    });
  const named = ({ id }: { id: string }): any => ({ ticketId: now.ticket.id, messageId: id });
  const putForward = ({ id }: { id: string }) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update messages
        set delivery_next_attempt_at = delivery_next_attempt_at - interval '13 hours',
          created_at = created_at - interval '13 hours', arrived_at = arrived_at - interval '13 hours'
        where workspace_id = ${people.owner.workspaceId} and id = ${id}`),
    );
  const read = () => ticketOf(people.owner, now.ticket.id);

  return {
    ...{ attempt, countSent, eventsOf, later, post, named, putForward, read },
    get owner() {
      return people.owner;
    },
    get ann() {
      return people.ann;
    },
    /** The ticket of this test. */
    now,
    schedule: async (input: object = {}, by = people.ann): Promise<any> => (await post(input, by)).body,
    /** Its time comes. */
    comeDue: async (message: { id: string }) => {
      await putForward(message);
      await attempt(named(message), { ok: true });
    },
    steer: (verb: string, { id }: { id: string }, by = people.ann, body?: object) =>
      by.call('POST', `/tickets/${now.ticket.id}/messages/${id}/${verb}`, body),
    deliveryOf: (message: { id: string }) => deliveries.deliveryOf(named(message)),
    draftsOf: async (person: Person): Promise<any[]> =>
      (await person.call('GET', `/drafts?ticketId=${now.ticket.id}`)).body.items,
    customerWrites: (headers: Record<string, string> = {}) =>
      ingest(house, people.owner, [
        mailOf({ headers: { 'In-Reply-To': `<${now.mailId}>`, ...headers }, body: 'Found it.' }),
      ]),
    toldOf: async (person: Person): Promise<string[]> =>
      (await person.call('GET', '/notifications')).body.items
        .filter(({ referenceId }: any) => referenceId === now.ticket.id)
        .map(({ title }: any) => title),
    listed: async (query = '') => (await people.owner.call('GET', `/messages/scheduled${query}`)).body,
    shown: async (): Promise<object> => {
      const { waitingSince, lastMessage, lastMessageAt, messageCount, status, assigneeId } = await read();
      return { waitingSince, lastMessage, lastMessageAt, messageCount, status, assigneeId };
    },
  };
}
