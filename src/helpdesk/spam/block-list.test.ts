import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { getInboundAddress } from '../../access/workspaces/inbound-address.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { domainOf } from '../../ground/lib/plus-address.ts';

const house = useHouse();
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const block = (sender: string, more: object = {}, person = owner) =>
  person.call('POST', '/blocked-senders', { sender, ...more });
const entries = async (person = owner): Promise<any[]> => (await person.call('GET', '/blocked-senders')).body.items;
const spamOf = async (person = owner): Promise<any[]> => (await person.call('GET', '/tickets?spam=true')).body;
const mailFrom = (from: string, headers: Record<string, string> = {}) =>
  mailOf({ headers: { From: from, ...headers } });
const receive = (...mails: Buffer[]) => ingest(house, owner, mails);
const typesOf = async (id: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets/${id}/events`)).body.items.map(({ type }: { type: string }) => type);

describe('the block list', () => {
  test('takes addresses and domains, once each, and tells who did so', async () => {
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const added = await block(' Ann@Example.ORG ', {}, agent);
    expect(added).toMatchObject({
      status: 201,
      body: { kind: 'address', sender: 'Ann@Example.ORG', createdBy: agent.userId },
    });
    expect(await block('ann@example.org.')).toMatchObject({ status: 200, body: { id: added.body.id } });
    expect((await block('@bücher.example')).body).toMatchObject({ kind: 'domain', sender: 'bücher.example' });
    expect((await block('XN--BCHER-KVA.example')).status).toBe(200);
    expect(await entries()).toMatchObject([{ sender: 'bücher.example' }, { sender: 'Ann@Example.ORG' }]);
    for (const search of ['ANN@', 'example.org', 'bÜcher', 'xn--bcher'])
      expect(
        (await owner.call('GET', `/blocked-senders?search=${encodeURIComponent(search)}`)).body.items,
      ).toHaveLength(1);
    expect((await owner.call('DELETE', `/blocked-senders/${added.body.id}`)).status).toBe(204);
    expect((await owner.call('DELETE', `/blocked-senders/${added.body.id}`)).body.key).toBe('blocked_sender.not_found');
    const audited = (await owner.call('GET', '/audit?type=blocked_sender.added&type=blocked_sender.removed')).body
      .items;
    expect(audited.map(({ type, data }: any) => [type, data.address])).toEqual([
      ['blocked_sender.removed', 'Ann@Example.ORG'],
      ['blocked_sender.added', 'bücher.example'],
      ['blocked_sender.added', 'Ann@Example.ORG'],
    ]);
  });

  test('refuses what is no sender, endings, shared domains and own addresses', async () => {
    const { workspaceId } = owner;
    await putMailbox(house, { workspaceId, provider: 'mail-a', address: 'help@acme.example', refreshToken: 'x' });
    await putMailbox(house, { workspaceId, provider: 'mail-b', address: 'acme@gmail.com', refreshToken: 'x' });
    const agent = await makeMember(house, workspaceId, 'agent');
    const { localPart } = await getInboundAddress(house.app.db, workspaceId);
    const sending = house.app.config.mailFrom.email;
    const urls = ['http://acme.example', 'https://acme.example/path', 'acme.example/path', 'acme.example:25'];
    for (const sender of ['com', 'co.uk', 'localhost', 'two words', 'a@', '*.acme.example', ...urls])
      expect([sender, (await block(sender)).body.key]).toEqual([sender, 'request.invalid']);
    const own = [agent.email, agent.email.toUpperCase(), sending, `${localPart}+x@${domainOf(sending)}`];
    for (const sender of [...own, 'help@acme.example', 'Help+x@acme.example', 'acme.example', 'acme@gmail.com'])
      expect([sender, (await block(sender)).body.key]).toEqual([sender, 'blocked_sender.own']);
    expect((await block('gmail.com')).body).toMatchObject({
      key: 'blocked_sender.shared_domain',
      params: { domain: 'gmail.com' },
    });
    expect((await block('gmail.com', { evenShared: true })).status).toBe(201);
    expect((await block('other.acme.example')).status).toBe(201);
    await receive(mailFrom('acme@gmail.com', { To: 'eva@home.example' }), mailFrom('other@gmail.com'));
    expect((await spamOf()).map(({ requester }) => requester.email)).toEqual(['other@gmail.com']);
  });

  test('belongs to one workspace, and viewers only read it', async () => {
    const [stranger, viewer] = [await makeOwner(house), await makeMember(house, owner.workspaceId, 'viewer')];
    const { id } = (await block('ann@example.org')).body;
    expect(await entries(viewer)).toHaveLength(1);
    expect((await block('x.example', {}, viewer)).body.key).toBe('auth.role_insufficient');
    expect((await viewer.call('DELETE', `/blocked-senders/${id}`)).body.key).toBe('auth.role_insufficient');
    expect(await entries(stranger)).toEqual([]);
    expect((await stranger.call('DELETE', `/blocked-senders/${id}`)).status).toBe(404);
    await ingest(house, stranger, [mailOf()]);
    expect([await spamOf(stranger), (await ticketsOf(stranger)).length]).toEqual([[], 1]);
  });

  test('has 10,000 entries at most, however many come at once, and pages through them', async () => {
    const { workspaceId, userId } = owner;
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into blocked_senders (workspace_id, id, sender, sender_key, created_by, created_at)
        select ${workspaceId}::uuid, gen_random_uuid(), 's' || n || '.example', 's' || n || '.example', ${userId}::uuid,
          now()
        from generate_series(1, 9998) n`),
    );
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => block(`${name}@example.org`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      key: 'blocked_sender.too_many',
      params: { max: 10_000 },
    });
    const found = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const asked = `/blocked-senders?limit=200${cursor === undefined ? '' : `&cursor=${cursor}`}`;
      const page = (await owner.call('GET', asked)).body;
      for (const { sender } of page.items) found.add(sender);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(found.size).toBe(10_000);
    await receive(mailFrom('x@mail.s77.example'), mailFrom('x@mail.s99999.example'));
    expect(await spamOf()).toMatchObject([{ spamReason: 'blocked_domain' }]);
  });
});

describe('mail of a blocked sender', () => {
  test('becomes spam that tells nobody, and everything is told when it is none', async () => {
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await block('ann@example.org');
    await receive(mailFrom('Ann <ANN+x@example.org>'), mailFrom('Bob <bob@example.org>'));
    expect((await ticketsOf(owner)).map(({ requester }) => requester.email)).toEqual(['bob@example.org']);
    const [spam, ...others] = await spamOf();
    expect(others).toEqual([]);
    expect(spam).toMatchObject({ spamReason: 'blocked_sender', status: 'open', messageCount: 1, unread: false });
    expect(spam.archivedAt).toBe(spam.spamAt);
    expect(await typesOf(spam.id)).toEqual(['ticket.created', 'ticket.spam_changed']);
    const isUnread = async (person: Person) => (await person.call('GET', `/tickets/${spam.id}`)).body.unread;
    expect(await isUnread(agent)).toBe(false);

    await owner.call('POST', `/tickets/${spam.id}/followers`, { userId: agent.userId });
    const answer = await owner.call('POST', `/tickets/${spam.id}/not-spam`);
    expect(answer.body).toMatchObject({ spamAt: null, archivedAt: null, status: 'open' });
    expect([await isUnread(agent), await isUnread(owner)]).toEqual([true, false]);
    expect(await entries()).toHaveLength(1);
  });

  test('comes back with its sender off the list', async () => {
    await block('example.org');
    await block('ann@example.org');
    await block('other.example');
    await receive(mailFrom('ann@example.org'));
    const [spam] = await spamOf();
    expect(spam.spamReason).toBe('blocked_sender');
    await owner.call('POST', `/tickets/${spam.id}/not-spam`, { unblockSender: true });
    expect((await entries()).map(({ sender }) => sender)).toEqual(['other.example']);
    await receive(mailFrom('ann@example.org', { Subject: 'Another matter' }));
    expect([await spamOf(), (await ticketsOf(owner)).length]).toEqual([[], 2]);
  });

  test('joins no ticket that is no spam, and takes no conversation over', async () => {
    await receive(mailFrom('eva@home.example', { 'Message-ID': '<1@home.example>' }));
    const [ticket] = await ticketsOf(owner);
    await block('ann@example.org');
    const answers = { 'In-Reply-To': '<1@home.example>' };
    await receive(mailFrom('ann@example.org', { ...answers, 'Message-ID': '<2@example.org>' }));
    await receive(mailFrom('ann@example.org', { 'In-Reply-To': '<2@example.org>', 'Message-ID': '<3@example.org>' }));
    expect(await spamOf()).toMatchObject([{ messageCount: 2, spamReason: 'blocked_sender' }]);
    const both = { 'In-Reply-To': '<2@example.org>', References: '<1@home.example> <2@example.org>' };
    await receive(mailFrom('eva@home.example', both));
    expect(await ticketsOf(owner)).toMatchObject([{ id: ticket.id, messageCount: 2 }]);

    await owner.call('DELETE', `/tickets/${ticket.id}`);
    await receive(mailFrom('ann@example.org', { ...answers, 'Message-ID': '<4@example.org>' }));
    await receive(mailFrom('eva@home.example', { ...answers, 'Message-ID': '<5@home.example>' }));
    const [continuation] = await ticketsOf(owner);
    expect(continuation).toMatchObject({ requester: { email: 'eva@home.example' }, messageCount: 1 });
    expect(await typesOf(continuation.id)).toContain('ticket.continued_from');
  });

  test('leaves members alone, whenever they joined', async () => {
    await block('members.example');
    const { userId } = await makeMember(house, owner.workspaceId, 'agent');
    const email = 'eva@members.example';
    await house.app.db.tx((tx) =>
      tx.run(sql`update users set email = ${email}, email_key = ${email} where id = ${userId}`),
    );
    await receive(mailFrom('Eva@members.example'), mailFrom('stranger@members.example'));
    expect((await spamOf()).map(({ requester }) => requester.email)).toEqual(['stranger@members.example']);
  });

  test('is imported as it was', async () => {
    await block('ann@example.org');
    await ingest(house, owner, [mailOf()], 'import');
    expect([await spamOf(), (await ticketsOf(owner)).length]).toEqual([[], 1]);
  });

  test('is blocked from the answer to the block on', async () => {
    const mails = Array.from({ length: 20 }, (_, at) => mailFrom('ann@example.org', { Subject: `Offer ${at}` }));
    let blockedAfter = mails.length;
    await Promise.all([
      (async () => {
        for (const [at, mail] of mails.entries()) {
          const isBlocked = blockedAfter <= at;
          await receive(mail);
          const spam = await spamOf();
          const isSpam = spam.some(({ subject }) => subject === `Offer ${at}`);
          if (isBlocked) expect([at, isSpam]).toEqual([at, true]);
        }
      })(),
      block('ann@example.org').then(() => {
        blockedAfter = 0;
      }),
    ]);
    const [inbox, spam] = [await ticketsOf(owner), await spamOf()];
    expect(inbox.length + spam.length).toBe(mails.length);
    expect(spam.length).toBeGreaterThan(0);
  });
});

describe('a ticket marked as spam', () => {
  const open = async (from: string) => {
    await receive(mailFrom(from));
    return (await ticketsOf(owner)).at(-1).id;
  };
  const mark = (id: string, body: object) => owner.call('POST', `/tickets/${id}/spam`, body);

  test('blocks its requester, or their domain', async () => {
    const [one, two] = [await open('ann@one.example'), await open('Bob <bob@two.example>')];
    expect((await mark(one, { blockSender: 'address' })).body).toMatchObject({ spamReason: 'marked' });
    expect((await mark(two, { blockSender: 'domain' })).status).toBe(200);
    expect((await mark(two, { blockSender: 'domain' })).status).toBe(200);
    expect(await entries()).toMatchObject([{ sender: 'two.example' }, { sender: 'ann@one.example' }]);
    await receive(mailFrom('ann@one.example', { Subject: 'New' }), mailFrom('cy@two.example'));
    expect(await ticketsOf(owner)).toEqual([]);
    expect((await spamOf()).map(({ spamReason }) => spamReason).sort()).toEqual([
      'blocked_domain',
      'blocked_sender',
      'marked',
      'marked',
    ]);
  });

  test('blocks both addresses of a requester whose contacts were merged, and takes both off again', async () => {
    const id = await open('ann@one.example');
    const { contactId } = (await owner.call('GET', `/tickets/${id}`)).body.requester;
    const main = { subject: 's', body: 'b', requester: { email: 'ann@main.example' } };
    const target = (await owner.call('POST', '/tickets', main)).body.requester;
    await owner.call('POST', `/contacts/${contactId}/merge`, { targetContactId: target.contactId });
    expect((await mark(id, { blockSender: 'address' })).body).toMatchObject({
      requester: { email: 'ann@main.example' },
    });
    expect((await entries()).map(({ sender }: { sender: string }) => sender).sort()).toEqual([
      'ann@main.example',
      'ann@one.example',
    ]);
    await owner.call('POST', `/tickets/${id}/not-spam`, { unblockSender: true });
    expect(await entries()).toEqual([]);
  });

  test('is not marked where its sender cannot be blocked', async () => {
    const shared = await open('ann@gmail.com');
    expect((await mark(shared, { blockSender: 'domain' })).body.key).toBe('blocked_sender.shared_domain');
    const nobody = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
    expect((await mark(nobody, { blockSender: 'address' })).body.key).toBe('blocked_sender.unknown');
    expect(await spamOf()).toEqual([]);
    expect((await mark(shared, { blockSender: 'domain', evenShared: true })).status).toBe(200);
    expect((await mark(newId(), { blockSender: 'domain' })).status).toBe(404);
  });
});
