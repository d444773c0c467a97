import { afterAll, afterEach, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { usualBehaviour } from '../../../emulators/graph/behaviour.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { withAccounts } from '../../../test/worlds/with-accounts.ts';
import { sql } from '../../ground/database/sql.ts';
import { ProviderFault } from '../../mail/provider-fault.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
const graph = await openGraphEmulator({ now, behaviour: { sentDelayMs: 0 } });
afterAll(() => Promise.all([gmail.close(), graph.close()]));
afterEach(() => graph.behave(usualBehaviour));
const house = useHouse({ ...gmail.settings, ...graph.settings });

let addresses = 0;

async function connect(provider: 'mail-a' | 'mail-b') {
  const address = `recheck${++addresses}@office.example`;
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const emulator = provider === 'mail-a' ? graph : gmail;
  const { refreshToken } = emulator.addMailbox({ address });
  const mailbox = await putMailbox(house, { workspaceId, provider, address, refreshToken });
  const sync = async (app = house.app) => {
    await syncMailbox(app, { workspaceId, mailboxId: mailbox.id });
    await house.drain();
  };
  await sync();
  return {
    address,
    mailboxId: mailbox.id,
    sync,
    emulator,
    deliver: async (subject: string) => (await emulator.deliver(address, { subject }, { receivedAt: now() })).id,
    subjects: async () => {
      const rows = await house.app.db.rows<{ subject: string }>(sql`
        select subject from tickets where workspace_id = ${workspaceId} order by created_at, id`);
      return rows.map(({ subject }) => subject);
    },
  };
}

/** A round of changes that reports nothing, but moves the cursor. */
const deaf = (provider: 'mail-a' | 'mail-b') =>
  withAccounts(house.app, provider, (account) => ({
    async *changes(cursor) {
      for await (const page of account.changes(cursor)) yield { ...page, found: [] };
    },
  }));

test.each(['mail-a', 'mail-b'] as const)(
  'mail of %s of which the changes do not tell is found within the hour',
  async (provider) => {
    const { deliver, sync, subjects } = await connect(provider);
    await deliver('Not told of');
    await sync(deaf(provider));
    expect(await subjects()).toEqual([]);
    house.clock.advance(50 * 60_000);
    await sync();
    expect(await subjects()).toEqual([]);
    house.clock.advance(10 * 60_000);
    await sync();
    expect(await subjects()).toEqual(['Not told of']);
  },
);

test.each(['mail-a', 'mail-b'] as const)(
  'mail of %s that is archived while its cursor is lost becomes a ticket; mail that a rule filed does not',
  async (provider) => {
    const { address, deliver, sync, subjects } = await connect(provider);
    const [archived, filed] = [await deliver('Archived'), await deliver('Filed by a rule')];
    if (provider === 'mail-a') {
      graph.move(address, archived, 'archive');
      graph.remove(address, filed);
      await graph.deliver(address, { subject: 'Filed by a rule' }, { folder: 'junkemail', receivedAt: now() });
      graph.resetDelta(address);
    } else {
      gmail.relabel(address, archived, { remove: ['INBOX'] });
      gmail.relabel(address, filed, { remove: ['INBOX'], add: ['Label_1'] });
      gmail.setHistoryFloor(address, 'now');
    }
    await sync();
    expect(await subjects()).toEqual(['Archived']);
  },
);

test.each(['mail-a', 'mail-b'] as const)(
  'mail of %s that is archived is found with other mail that the changes missed two minutes ago',
  async (provider) => {
    const { address, deliver, sync, subjects } = await connect(provider);
    house.clock.advance(58 * 60_000);
    await deliver('Missed');
    const archived = await deliver('Missed and archived');
    if (provider === 'mail-a') graph.move(address, archived, 'archive');
    else gmail.relabel(address, archived, { remove: ['INBOX'] });
    await sync(deaf(provider));
    house.clock.advance(2 * 60_000);
    await sync(deaf(provider));
    expect((await subjects()).sort()).toEqual(['Missed', 'Missed and archived']);
  },
);

test.each(['mail-a', 'mail-b'] as const)(
  'archived mail of %s that the changes missed is found although the provider fails in between',
  async (provider) => {
    const { address, deliver, sync, subjects } = await connect(provider);
    house.clock.advance(58 * 60_000);
    await deliver('Missed');
    const archived = await deliver('Missed and archived');
    if (provider === 'mail-a') graph.move(address, archived, 'archive');
    else gmail.relabel(address, archived, { remove: ['INBOX'] });
    await sync(deaf(provider));
    house.clock.advance(2 * 60_000);
    const failing = withAccounts(house.app, provider, () => ({
      anchor: () => Promise.reject(new ProviderFault('unavailable', '503', 'The provider is away.')),
    }));
    await expect(sync(failing)).rejects.toThrow();
    expect(await subjects()).toEqual([]);
    house.clock.advance(2 * 60_000);
    await sync();
    expect((await subjects()).sort()).toEqual(['Missed', 'Missed and archived']);
  },
);

test.each(['mail-a', 'mail-b'] as const)(
  'an automatic reply to a mail sent by hand from %s joins its ticket when all are found at once',
  async (provider) => {
    const { address, emulator, sync, subjects } = await connect(provider);
    house.clock.advance(58 * 60_000);
    const [question, answer] = [`question.${provider}@example.com`, `answer.${provider}@office.example`];
    await emulator.deliver(address, { subject: 'Lamp', messageId: question }, { receivedAt: now() });
    await emulator.sendByHand(address, {
      from: address,
      to: ['cora@example.com'],
      subject: 'Re: Lamp',
      messageId: answer,
      inReplyTo: question,
      text: 'A new one is on its way.',
    });
    await emulator.deliver(
      address,
      { subject: 'Absent', inReplyTo: answer, headers: { 'Auto-Submitted': 'auto-replied' } },
      { receivedAt: now() },
    );
    await sync(deaf(provider));
    house.clock.advance(2 * 60_000);
    await sync(deaf(provider));
    expect(await subjects()).toHaveLength(1);
  },
);

test('a mailbox whose filtered delta reached its limit of mails gets new delta links', async () => {
  const { address, deliver, sync, subjects } = await connect('mail-a');
  await deliver('One');
  await sync();
  graph.resetDelta(address);
  await sync();
  graph.behave({ filteredDeltaMax: 2, filteredDeltaMaxIsForLife: true });
  for (const subject of ['Two', 'Three', 'Four']) {
    // The first round of the links contains the mail of the last five minutes.
    house.clock.advance(6 * 60_000);
    await deliver(subject);
    await sync();
  }
  expect(await subjects()).toEqual(['One', 'Two']);
  house.clock.advance(3_600_000);
  await sync();
  expect((await subjects()).sort()).toEqual(['Four', 'One', 'Three', 'Two']);
  await deliver('Five');
  await sync();
  expect(await subjects()).toContain('Five');
});

test('a delta link that Graph refuses with an unknown 400 is replaced, and no mail is lost', async () => {
  const { deliver, sync, subjects } = await connect('mail-a');
  await deliver('Behind a refused link');
  graph.behave({ deltaLinkRefusalRate: 1 });
  await sync();
  graph.behave({ deltaLinkRefusalRate: 0 });
  await deliver('After it');
  await sync();
  expect((await subjects()).sort()).toEqual(['After it', 'Behind a refused link']);
});

test('a mailbox whose delta accepts no filter is read without one', async () => {
  const { address, deliver, sync, subjects, mailboxId } = await connect('mail-a');
  await deliver('Before');
  await sync();
  graph.behave({ refusesDeltaFilters: true });
  graph.resetDelta(address);
  await sync();
  await deliver('After');
  await sync();
  expect((await subjects()).sort()).toEqual(['After', 'Before']);
  expect(
    await house.app.db.one(sql`select failures, last_fault from mailbox_syncs where mailbox_id = ${mailboxId}`),
  ).toEqual({ failures: 0, last_fault: null });
});
