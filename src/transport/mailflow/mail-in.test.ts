import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { openSmtpClient, sendMail, stuffed } from '../../../test/peers/smtp-client.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { openDb } from '../../ground/database/open-db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { SmtpListener } from '../../mail/smtp-listener.ts';
import { openMailIn } from './mail-in.ts';
import { storeRawMails } from './raw-mails.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@kontor.example>', SMTP_LISTEN: '127.0.0.1:2525' });
const closedHouse = useHouse();
let listener: SmtpListener;

beforeAll(async () => {
  listener = await openMailIn(house.app, { host: '127.0.0.1', port: 0, tls: undefined });
});
afterAll(() => listener.close());

const addressOf = async (person: Person): Promise<string> =>
  (await person.call('GET', '/mail/inbound-address')).body.address;

const rawMailsOf = ({ workspaceId }: Person) =>
  house.app.db.rows<any>(sql`
    select state, source, envelope_from as "from", envelope_to as "to" from raw_mails
    where workspace_id = ${workspaceId} order by id`);

describe('mail that comes in by SMTP', () => {
  it('becomes a ticket of the workspace with the recipient’s address', async () => {
    const owner = await makeOwner(house);
    const address = await addressOf(owner);
    expect(address).toMatch(/^inbox-[0-9a-f]{12}@kontor\.example$/);
    expect(await sendMail(listener.port, { to: [address], raw: mailOf() })).toMatch(/^250 /);
    await house.drain();
    const [ticket] = await ticketsOf(owner);
    expect(ticket).toMatchObject({ subject: 'The printer is on fire', status: 'open', channel: 'email' });
    expect(await rawMailsOf(owner)).toEqual([
      { state: 'ingested', source: 'smtp', from: 'ann@example.org', to: [address] },
    ]);
  });

  it('is stored once it is answered 250, and parsed later', async () => {
    const owner = await makeOwner(house);
    const address = await addressOf(owner);
    await sendMail(listener.port, { to: [address], raw: mailOf() });
    expect(await rawMailsOf(owner)).toMatchObject([{ state: 'pending' }]);
    await sendMail(listener.port, { to: [address], raw: mailOf({ headers: { Subject: 'The lamp is broken' } }) });
    expect(await ticketsOf(owner)).toEqual([]);
    await house.drain();
    expect(await ticketsOf(owner)).toHaveLength(2);
  });

  it('that is sent again after our answer was lost is taken once', async () => {
    const owner = await makeOwner(house);
    const to = [await addressOf(owner)];
    // Without a Message-ID only the bytes identify it.
    const raw = mailOf({ headers: { 'Message-ID': '' } });
    for (const _time of [1, 2]) expect(await sendMail(listener.port, { to, raw })).toMatch(/^250 /);
    await house.drain();
    expect(await sendMail(listener.port, { to, raw })).toMatch(/^250 /);
    await house.drain();
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 1 }]);
  });

  describe('with the same bytes as an earlier one', () => {
    const alarm = (fields = '') =>
      Buffer.from(`From: UPS 3 <ups77@customer.example>\r\nSubject: On battery\r\n${fields}\r\nPower failed.\r\n`);

    async function sentTwice(raw: Buffer, { quits = true, hours = 0, other = false } = {}) {
      const owner = await makeOwner(house);
      const address = await addressOf(owner);
      const copyTo = other ? address.replace('@', '+roof@') : address;
      await sendMail(listener.port, { to: [address], raw, quits });
      await house.drain();
      house.clock.advance(hours * 3_600_000);
      await sendMail(listener.port, { to: [copyTo], raw, quits });
      await house.drain();
      return { owner, address };
    }
    const messagesOf = async ({ owner: { workspaceId } }: { owner: Person }) =>
      (
        await house.app.db.one<{ count: number }>(sql`
          select count(*) as count from messages where workspace_id = ${workspaceId}`)
      ).count;

    it.each([
      ['no id and no date', ''],
      ['a clock that stands still', 'Date: Thu, 01 Jan 1970 00:00:05 +0000\r\n'],
      ['an unusable id', 'Message-ID: <>\r\nDate: yesterday\r\n'],
    ])('is another mail with %s, whose sender had read our answer', async (_what, fields) => {
      expect(await messagesOf(await sentTwice(alarm(fields)))).toBe(2);
    });

    it('is another mail each time, and a repeat of the last one is none', async () => {
      const sent = await sentTwice(alarm());
      const to = [sent.address];
      await sendMail(listener.port, { to, raw: alarm(), quits: false });
      await sendMail(listener.port, { to, raw: alarm(), quits: true });
      await house.drain();
      expect(await messagesOf(sent)).toBe(3);
      await sendMail(listener.port, { to, raw: alarm(), quits: true });
      await house.drain();
      expect(await messagesOf(sent)).toBe(4);
      expect(await rawMailsOf(sent.owner)).toMatchObject(Array(4).fill({ state: 'ingested', to }));
    });

    it('is another mail in one session, and after an hour in any case', async () => {
      expect(await messagesOf(await sentTwice(alarm(), { quits: false, hours: 1 }))).toBe(2);
      const owner = await makeOwner(house);
      const client = await openSmtpClient(listener.port);
      await client.say('EHLO ups.customer.example');
      for (const _time of [1, 2]) {
        await client.say('MAIL FROM:<ups77@customer.example>');
        await client.say(`RCPT TO:<${await addressOf(owner)}>`);
        await client.say('DATA');
        client.send(stuffed(alarm()));
        expect(await client.answer()).toMatch(/^250 /);
      }
      client.hangUp();
      await house.drain();
      expect(await messagesOf({ owner })).toBe(2);
    });

    it.each([
      ['a Message-ID', alarm('Message-ID: <ups77@customer.example>\r\n'), {}],
      ['a Date', alarm(`Date: ${new Date().toUTCString()}\r\n`), {}],
      [
        'the trace of a server',
        alarm('Received: from ups by relay with SMTP id 7; Sat, 28 Nov 2026 10:00:00 +0000\r\n'),
        {},
      ],
      ['another recipient', alarm(), { other: true }],
      ['no sign that our answer was read', alarm(), { quits: false }],
    ])('is the same mail with %s', async (_what, raw, options) => {
      expect(await messagesOf(await sentTwice(raw, options))).toBe(1);
    });
  });

  it('for two workspaces is taken once by each, with its own recipients', async () => {
    const [one, other] = [await makeOwner(house), await makeOwner(house)];
    const [a, b] = [await addressOf(one), await addressOf(other)];
    const to = [a, a.replace('@', '+sales@'), b.toUpperCase()];
    expect(await sendMail(listener.port, { from: '', to, raw: mailOf() })).toMatch(/^250 /);
    await house.drain();
    expect(await rawMailsOf(one)).toMatchObject([{ from: '', to: [a, a.replace('@', '+sales@')] }]);
    expect(await rawMailsOf(other)).toMatchObject([{ from: '', to: [expect.stringMatching(new RegExp(b, 'i'))] }]);
    expect(await ticketsOf(one)).toHaveLength(1);
    expect(await ticketsOf(other)).toHaveLength(1);
  });

  it('for any other address is refused, whatever its sender', async () => {
    const owner = await makeOwner(house);
    const address = await addressOf(owner);
    const client = await openSmtpClient(listener.port);
    await client.say('EHLO client.example.org');
    await client.say(`MAIL FROM:<${address}>`);
    for (const wrong of [
      'inbox-000000000000@kontor.example',
      address.replace('kontor.example', 'example.org'),
      address.replace('kontor.example', 'sub.kontor.example'),
      `x${address}`,
      'support@kontor.example',
      'ann@example.org',
      `"${address}"@example.org`,
      `ann%example.org@kontor.example`,
    ])
      expect(await client.say(`RCPT TO:<${wrong}>`), wrong).toMatch(/^5[05][01] 5\.1\.[13]/);
    expect(await client.say('DATA')).toMatch(/^503 /);
    client.hangUp();
  });

  it('that cannot be read is accepted, and listed as quarantined', async () => {
    const owner = await makeOwner(house);
    expect(await sendMail(listener.port, { to: [await addressOf(owner)], raw: Buffer.from('\0\0\r\n') })).toMatch(
      /^250 /,
    );
    await house.drain();
    expect((await owner.call('GET', '/mail/quarantine')).body.items).toHaveLength(1);
  });

  it('that an import left pending is ingested all the same', async () => {
    const owner = await makeOwner(house);
    const raw = mailOf();
    const source = { workspaceId: owner.workspaceId, mailboxId: null, receivedAt: house.clock.now() };
    await storeRawMails(house.app, { ...source, origin: 'import', via: 'import' }, [raw]);
    await sendMail(listener.port, { to: [await addressOf(owner)], raw });
    await house.drain();
    expect(await ticketsOf(owner)).toHaveLength(1);
  });
});

describe('a listener that cannot store mail', () => {
  async function openBeside(room: Partial<typeof house.app>): Promise<SmtpListener> {
    const beside = await openMailIn({ ...house.app, ...room }, { host: '127.0.0.1', port: 0, tls: undefined });
    onTestFinished(() => beside.close());
    return beside;
  }

  it('puts mail off while the database is away', async () => {
    const url = 'postgres://kontor@127.0.0.1:1/kontor';
    const db = openDb({ url, clock: house.clock, poolSize: 1, onIdleError: () => {} });
    onTestFinished(() => db.close());
    const { port } = await openBeside({ db });
    const to = [await addressOf(await makeOwner(house))];
    expect(await sendMail(port, { to, raw: mailOf() })).toMatch(/^451 /);
  });

  it('puts mail off while the disk is full, and stores no row', async () => {
    const owner = await makeOwner(house);
    const { blobs } = house.app;
    const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    const { port } = await openBeside({ blobs: { ...blobs, packed: { ...blobs.packed, putAll: full } } });
    const mail = { to: [await addressOf(owner)], raw: mailOf() };
    expect(await sendMail(port, mail)).toMatch(/^451 /);
    expect(await rawMailsOf(owner)).toEqual([]);
    expect(await sendMail(listener.port, mail)).toMatch(/^250 /);
  });

  it('refuses a mail of more than 40 MiB, and stores nothing of it', async () => {
    const owner = await makeOwner(house);
    const raw = mailOf({ body: `${'x'.repeat(1_022)}\r\n`.repeat(40 * 1_024) });
    expect(await sendMail(listener.port, { to: [await addressOf(owner)], raw })).toMatch(/^552 /);
    expect(await rawMailsOf(owner)).toEqual([]);
  });

  it('says in one line why it cannot listen', async () => {
    const { port } = listener;
    await expect(openMailIn(house.app, { host: '127.0.0.1', port, tls: undefined })).rejects.toThrow(
      `SMTP_LISTEN: port ${port} is taken by another program`,
    );
    const tls = { certPath: 'nowhere/cert.pem', keyPath: 'nowhere/key.pem' };
    await expect(openMailIn(house.app, { host: '127.0.0.1', port: 0, tls })).rejects.toThrow(/^SMTP_LISTEN: ENOENT/);
  });
});

describe('an empty envelope sender', () => {
  it('makes a mail automatic: it joins its ticket without opening it', async () => {
    const owner = await makeOwner(house);
    const address = await addressOf(owner);
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<first@example.org>' } })]);
    const [{ id }] = await ticketsOf(owner);
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const raw = mailOf({ headers: { 'In-Reply-To': '<first@example.org>' } });
    await sendMail(listener.port, { from: '', to: [address], raw });
    await house.drain();
    expect(await ticketOf(owner, id)).toMatchObject({
      status: 'closed',
      messages: [{ automaticKind: null }, { automaticKind: 'auto-generated' }],
    });
  });
});

describe('the addresses of a mail', () => {
  it('become contacts, except our own, and are kept for replies', async () => {
    const owner = await makeOwner(house);
    const address = await addressOf(owner);
    const raw = mailOf({
      headers: {
        To: `Help <help@team.example>, ${address}, support@kontor.example`,
        Cc: 'Bob <bob@example.net>, support+x@KONTOR.example',
        'Reply-To': `office@example.org, ${address}`,
        'Delivered-To': address,
        'X-Original-To': 'help@team.example',
      },
    });
    await sendMail(listener.port, { to: [address], raw });
    await house.drain();
    const people = await house.app.db.rows<{ email: string }>(sql`
      select c.email
      from ticket_participants p
      join contacts c on c.workspace_id = ${owner.workspaceId} and c.id = p.contact_id
      where p.workspace_id = ${owner.workspaceId} order by c.email`);
    expect(people.map(({ email }) => email)).toEqual(['ann@example.org', 'bob@example.net', 'help@team.example']);
    const contacts = await house.app.db.rows(sql`select from contacts where workspace_id = ${owner.workspaceId}`);
    expect(contacts).toHaveLength(3);
    const kept = await house.app.db.one(sql`
      select reply_to_addresses as "replyTo", delivered_to_addresses as "deliveredTo" from messages
      where workspace_id = ${owner.workspaceId}`);
    expect(kept).toEqual({ replyTo: ['office@example.org'], deliveredTo: ['help@team.example'] });
  });
});

it('without SMTP_LISTEN no workspace has an address', async () => {
  const owner = await makeOwner(closedHouse);
  expect((await owner.call('GET', '/mail/inbound-address')).body).toEqual({ address: null });
});
