import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { hostedDesk, openHosted } from '../../../test/worlds/hosted-desk.ts';
import { ticketsOf } from '../../../test/worlds/mails.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';
import { ProviderFault } from '../../mail/provider-fault.ts';

const hosted = await openHosted(() => house.clock?.now() ?? new Date());
afterAll(() => hosted.close());
const house = useHouse(hosted.settings);

describe.each(['mail-a', 'mail-b'] as const)('a mailbox at %s', (provider) => {
  const side = hosted.sides[provider];
  const address = `help@${provider}.example`;
  let owner: Person;
  let mailboxId: string;
  const desk = hostedDesk(house, side, () => ({ owner, agent: owner }));
  const read = () => getMailbox(house.app.db, { workspaceId: owner.workspaceId, mailboxId });
  const sync = (app = house.app) => syncMailbox(app, { workspaceId: owner.workspaceId, mailboxId });
  const blocked = () =>
    desk.bent(() => ({ send: () => Promise.reject(new ProviderFault('forbidden', 'blocked', 'It is blocked.')) }));

  /** Access tokens last an hour. */
  const hourLater = async () => {
    house.clock.advance(3_600_000);
    owner = await makeMember(house, owner.workspaceId, 'owner');
  };

  beforeAll(async () => {
    owner = await makeOwner(house);
    mailboxId = await desk.connect(address);
    await sync();
  });

  test('that may not send is still read, shows it after an hour, and sends when it may again', async () => {
    const answer = await desk.write(mailboxId);
    await expect(desk.run(blocked(), answer)).rejects.toThrow('for now');
    expect(await read()).toMatchObject({ status: 'active', sendStatus: 'active', sendStatusReason: null });
    await hourLater();
    await expect(desk.run(blocked(), answer, 2)).rejects.toThrow('for now');
    const error = { status: 'active', statusReason: null, sendStatus: 'error', sendStatusReason: 'It is blocked.' };
    expect(await read()).toMatchObject(error);
    await side.deliver(address, { from: 'cora@example.com', subject: 'Read all the same', text: 'Hello' });
    await sync();
    await house.drain();
    expect((await ticketsOf(owner)).map(({ subject }) => subject)).toContain('Read all the same');
    await desk.run(house.app, answer, 3);
    expect(await desk.deliveryOf(answer)).toMatchObject({ status: 'sent' });
    expect(await read()).toMatchObject({ sendStatus: 'active', sendStatusReason: null });
  });

  test('that may not be read still sends', async () => {
    const unread = desk.bent(() => ({
      // biome-ignore lint/correctness/useYield: it fails before it has anything to yield
      async *changes() {
        throw new ProviderFault('forbidden', 'closed', 'It is closed.');
      },
    }));
    await expect(sync(unread)).rejects.toThrow('closed');
    await hourLater();
    await sync(unread);
    expect(await read()).toMatchObject({ status: 'error', statusReason: 'It is closed.', sendStatus: 'active' });
    const answer = await desk.write(mailboxId);
    await desk.run(house.app, answer);
    expect(await desk.deliveryOf(answer)).toMatchObject({ status: 'sent' });
    expect(await read()).toMatchObject({ status: 'error', sendStatus: 'active' });
  });

  test('whose sending works again can be resumed', async () => {
    await owner.call('POST', `/mailboxes/${mailboxId}/resume`);
    const answer = await desk.write(mailboxId);
    await expect(desk.run(blocked(), answer)).rejects.toThrow('for now');
    await hourLater();
    await expect(desk.run(blocked(), answer, 2)).rejects.toThrow('for now');
    const { body } = await owner.call('POST', `/mailboxes/${mailboxId}/resume`);
    expect(body).toMatchObject({ status: 'active', sendStatus: 'active', sendStatusReason: null });
    await house.drain();
    expect(await desk.deliveryOf(answer)).toMatchObject({ status: 'sent' });
  });
});
