import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { hostedDesk, openHosted } from '../../../test/worlds/hosted-desk.ts';
import { sql } from '../../ground/database/sql.ts';

/** Which mailbox sends the mail of a new ticket, in an installation without a mail server. */

const hosted = await openHosted(() => house.clock?.now() ?? new Date());
afterAll(() => hosted.close());
const house = useHouse(hosted.settings);
const side = hosted.sides['mail-b'];
let owner: Person;
let agent: Person;
const { run, connect } = hostedDesk(house, side, () => ({ owner, agent }));
let count = 0;

beforeEach(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ann Agent');
});

const newTicket = (input: object = {}, person = agent) =>
  person.call('POST', '/tickets', {
    subject: 'Hello',
    body: 'Hi.',
    sendEmail: true,
    toAddresses: ['c@example.org'],
    ...input,
  });
const setState = (mailboxId: string, status: string, sendStatus = 'active') =>
  house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set status = ${status}, send_status = ${sendStatus}
      where workspace_id = ${owner.workspaceId} and id = ${mailboxId}`),
  );
const connectTwo = async () =>
  [await connect(`a${++count}@shop.example`), await connect(`b${count}@shop.example`)] as const;

async function sent(answer: { body: any }): Promise<any> {
  const read = async () => (await agent.call('GET', `/tickets/${answer.body.id}`)).body.messages.at(-1);
  await run(house.app, { messageId: (await read()).id });
  return (await read()).delivery;
}

describe('with two mailboxes', () => {
  test('all new tickets arrive from a mailbox, though nobody chooses one', async () => {
    await connectTwo();
    for (let index = 0; index < 10; index++) {
      const to = `buyer${count}-${index}@customer.example`;
      expect(await sent(await newTicket({ toAddresses: [to] }))).toMatchObject({ status: 'sent', isFile: false });
      expect(side.received(to)).toHaveLength(1);
    }
    expect(await house.outbox()).toEqual([]);
  });

  test('the one that the member wrote from last sends, for each member apart', async () => {
    const [first, second] = await connectTwo();
    expect((await newTicket()).body.mailboxId).toBe(first);
    await newTicket({ mailboxId: second });
    expect((await newTicket()).body.mailboxId).toBe(second);
    expect((await newTicket({ mailboxId: null })).body.mailboxId).toBe(second);
    expect((await newTicket({}, owner)).body.mailboxId).toBe(first);
  });

  test.each([
    ['paused', 'active'],
    ['reauthorization_required', 'active'],
    ['active', 'error'],
    ['disconnected', 'active'],
  ])('one that is %s and %s is passed over', async (status, sendStatus) => {
    const [first, second] = await connectTwo();
    await newTicket({ mailboxId: first });
    await setState(first, status, sendStatus);
    expect((await newTicket()).body.mailboxId).toBe(second);
  });

  test('of which none sends, a mail is refused with a sentence, and a note is not', async () => {
    for (const id of await connectTwo()) await setState(id, 'paused');
    const { status, body } = await newTicket();
    expect([status, body.key]).toEqual([409, 'mailbox.none_sends']);
    expect(body.fallbackMessage).toMatch(/No mailbox of this workspace can send now/);
    const quiet = await newTicket({ sendEmail: false });
    expect([quiet.status, quiet.body.mailboxId]).toEqual([201, null]);
  });

  test('an answer in a ticket without one leaves through one', async () => {
    const requester = { email: 'dora@example.org' };
    const ticket = (await owner.call('POST', '/tickets', { subject: 'Ink', body: 'x', requester })).body;
    const answer = () => agent.call('POST', `/tickets/${ticket.id}/messages`, { body: 'Yes.', sendEmail: true });
    const [first, second] = await connectTwo();
    const { body } = await answer();
    await run(house.app, { messageId: body.id });
    expect(side.received('dora@example.org')).toHaveLength(1);
    expect((await agent.call('GET', `/tickets/${ticket.id}`)).body.mailboxId).toBe(first);
    const { items } = (await agent.call('GET', `/tickets/${ticket.id}/events`)).body;
    expect(items.filter(({ type }: { type: string }) => type === 'ticket.mailbox_changed')).toMatchObject([
      { actor: { userId: agent.userId }, data: { from: null, to: first } },
    ]);
    await setState(first, 'disconnected');
    await setState(second, 'paused');
    expect((await answer()).status).toBe(409);
  });
});

test('without mailboxes the mail becomes a file, and says so', async () => {
  const answer = await newTicket();
  expect([answer.status, answer.body.mailboxId]).toEqual([201, null]);
  expect(await sent(answer)).toMatchObject({ status: 'sent', isFile: true });
});
