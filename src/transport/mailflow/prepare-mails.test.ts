import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { skipOnCitus } from '../../../test/harness/skip-on-citus.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, sourceOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { prepareMails } from './prepare-mails.ts';
import { takeMails } from './take/take-mails.ts';

const house = useHouse();

describe('a mail', () => {
  it('becomes an open ticket of its writer, with the mail as the first message', async () => {
    const owner = await makeOwner(house);
    expect(await ingest(house, owner, [mailOf({ headers: { Cc: 'Bob <bob@example.net>' } })])).toEqual([
      { kind: 'new', ticketsMade: 1 },
    ]);
    const [listed] = await ticketsOf(owner);
    const ticket = await ticketOf(owner, listed.id);
    expect(ticket).toMatchObject({
      ticketNumber: 1,
      subject: 'The printer is on fire',
      status: 'open',
      channel: 'email',
      requester: { email: 'ann@example.org', name: 'Ann Example' },
      messageCount: 1,
    });
    expect(ticket.messages).toMatchObject([
      {
        direction: 'inbound',
        author: { type: 'customer', name: 'Ann Example', email: 'ann@example.org' },
        body: expect.stringContaining('It does not work.'),
        replyText: null,
        newHtml: null,
        quotedHtml: null,
        to: ['support@example.com'],
        cc: ['bob@example.net'],
        delivery: null,
        sentAt: '2026-03-02T10:00:00.000Z',
      },
    ]);
  });

  it('is found by the people it names', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [mailOf({ headers: { Cc: 'Bob Ross <bob@example.net>' } })]);
    for (const word of ['ross', 'ann', 'printer', 'work'])
      expect((await owner.call('GET', `/tickets?search=${word}`)).body, word).toHaveLength(1);
  });

  it('keeps its files and its HTML without scripts, with quotes hidden from the reply', async () => {
    const owner = await makeOwner(house);
    const body = [
      '--b',
      'Content-Type: multipart/alternative; boundary=a',
      '',
      '--a',
      'Content-Type: text/plain',
      '',
      'Yes, please.\n\nOn Mon, 2 Mar 2026, Support wrote:\n> Shall we?',
      '--a',
      'Content-Type: text/html',
      '',
      '<p onclick="x()">Yes<script>alert(1)</script> <img src="cid:pic"></p>',
      '<div>On Mon, 2 Mar 2026, Support wrote:</div><blockquote type="cite">Shall we?</blockquote>',
      '--a--',
      '--b',
      'Content-Type: image/png',
      'Content-ID: <pic>',
      'Content-Transfer-Encoding: base64',
      '',
      'iVBORw0KGgo=',
      '--b--',
    ].join('\r\n');
    await ingest(house, owner, [mailOf({ headers: { 'Content-Type': 'multipart/mixed; boundary=b' }, body })]);
    const [{ id }] = await ticketsOf(owner);
    const [message] = (await ticketOf(owner, id)).messages;
    expect(message.body).toContain('> Shall we?');
    expect(message.replyText).toBe('Yes, please.');
    expect(message.bodyHtml).toContain('<img src="cid:pic"');
    expect(message.bodyHtml).not.toMatch(/script|onclick|alert/);
    expect(message.newHtml.trim()).toBe('<p>Yes <img src="cid:pic" /></p>');
    expect(message.quotedHtml).toContain('<blockquote type="cite">Shall we?</blockquote>');
    expect(message.attachments).toMatchObject([
      { fileName: 'attachment-1.png', contentType: 'image/png', size: 8, contentId: 'pic', isInline: true },
    ]);
  });

  it('is taken once, as the same bytes and as another copy', async () => {
    const owner = await makeOwner(house);
    const mail = mailOf();
    const copy = Buffer.concat([Buffer.from('Received: from a by b; Mon, 2 Mar 2026 10:00:05 +0000\r\n'), mail]);
    expect((await ingest(house, owner, [mail, mail])).map(({ kind }) => kind)).toEqual(['new', 'known']);
    expect((await ingest(house, owner, [copy])).map(({ kind }) => kind)).toEqual(['known']);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 1 }]);
  });

  it('with another mail’s Message-ID and different content is kept as well, and flagged', async () => {
    const owner = await makeOwner(house);
    const headers = { 'Message-ID': '<same@example.org>' };
    await ingest(house, owner, [mailOf({ headers }), mailOf({ headers, body: 'Something else.' })]);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 2 }]);
    const flagged = await house.app.db.rows(sql`
      select note from raw_mails where workspace_id = ${owner.workspaceId} and note is not null`);
    expect(flagged).toHaveLength(1);
  });

  it('is taken separately by each workspace', async () => {
    const [one, other] = [await makeOwner(house), await makeOwner(house)];
    const mail = mailOf();
    await ingest(house, one, [mail]);
    expect((await ingest(house, other, [mail])).map(({ kind }) => kind)).toEqual(['new']);
    const reply = mailOf({ headers: { 'In-Reply-To': /Message-ID: (\S+)/.exec(mail.toString())?.[1] ?? '' } });
    await ingest(house, other, [reply]);
    expect(await ticketsOf(one)).toMatchObject([{ messageCount: 1 }]);
    expect(await ticketsOf(other)).toMatchObject([{ messageCount: 2 }]);
  });

  it('that cannot be read becomes a ticket with the file attached, and is listed as quarantined', async () => {
    const owner = await makeOwner(house);
    const junk = [Buffer.alloc(0), Buffer.from('\0\0\0')];
    expect((await ingest(house, owner, [...junk, mailOf()])).map(({ kind }) => kind)).toEqual([
      'quarantined',
      'quarantined',
      'new',
    ]);
    expect(await ticketsOf(owner)).toHaveLength(3);
    const ticket = (await ticketsOf(owner)).find(({ subject }: any) => subject === 'A mail that could not be read');
    expect((await ticketOf(owner, ticket.id)).messages[0].attachments).toHaveLength(1);
  });

  it('that the database refuses is quarantined, and the others of its batch are kept', async () => {
    const owner = await makeOwner(house);
    const source = sourceOf(house, owner);
    const { prepared } = await prepareMails(house.app, source, [
      mailOf(),
      mailOf({ headers: { Subject: 'The lamp is broken' } }),
      mailOf({ headers: { Subject: 'The desk wobbles' } }),
    ]);
    const refused = prepared.map((mail, at) => (at === 1 ? { ...mail, body: 'U+0000: \0' } : mail));
    const outcomes = await takeMails(house.app, source, refused);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['new', 'quarantined', 'new']);
    const [{ reason, messageId }] = (await owner.call('GET', '/mail/quarantine')).body.items;
    expect(reason).toBe('It could not be stored (SQLSTATE 22021).');
    const raw = await owner.call('GET', `/messages/${messageId}/raw`);
    expect(raw.body).toBe(prepared[1]?.raw.bytes.toString());
    expect(await ticketsOf(owner)).toHaveLength(3);
  });

  it('that meets a full database disk is not quarantined, and is taken once there is room', async (context) => {
    skipOnCitus(context, 'Citus takes no triggers on distributed tables, and one makes the fault here.');
    const owner = await makeOwner(house);
    const source = sourceOf(house, owner);
    const { prepared } = await prepareMails(house.app, source, [mailOf(), mailOf({ headers: { Subject: 'No room' } })]);
    const mails = prepared.map((mail, at) => (at === 0 ? { ...mail, body: 'U+0000: \0' } : mail));
    const { pool } = house.app.db;
    await pool.query(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger refuse before insert on tickets
      for each row when (new.subject = 'No room') execute function refuse()`);
    await expect(takeMails(house.app, source, mails)).rejects.toMatchObject({ code: '53100' });
    await pool.query('drop function refuse cascade');
    const outcomes = await takeMails(house.app, source, mails);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['quarantined', 'new']);
  });

  it('that was stored but not ingested when the process died is ingested when it comes again', async () => {
    const owner = await makeOwner(house);
    const mail = mailOf();
    await prepareMails(house.app, sourceOf(house, owner), [mail]);
    expect(await ticketsOf(owner)).toHaveLength(0);
    expect(await ingest(house, owner, [mail])).toEqual([{ kind: 'new', ticketsMade: 1 }]);
    expect(await ingest(house, owner, [mail])).toEqual([{ kind: 'known', ticketsMade: 0 }]);
  });

  it('that comes twice at once is taken once, and its conversation is one ticket', async () => {
    const owner = await makeOwner(house);
    const first = mailOf({ headers: { 'Message-ID': '<root@example.org>' } });
    const replies = Array.from({ length: 8 }, () => mailOf({ headers: { 'In-Reply-To': '<root@example.org>' } }));
    const outcomes = await Promise.all([...replies, first, first].map((mail) => ingest(house, owner, [mail])));
    expect(outcomes.flat().filter(({ kind }) => kind === 'new')).toHaveLength(9);
    expect(await ticketsOf(owner)).toMatchObject([{ messageCount: 9 }]);
  });
});

describe('a reply in the same second', () => {
  it('is sorted after the answer that it replies to', async () => {
    const owner = await makeOwner(house);
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Quick', body: 'On its way.' });
    await owner.call('POST', `/tickets/${ticket.id}/messages`, {
      body: 'Well?',
      sendEmail: true,
      toAddresses: ['ann@example.org'],
    });
    await house.drain();
    const id = /^Message-ID: (.*)$/im.exec((await house.outbox()).at(-1) ?? '')?.[1] ?? '';
    await ingest(house, owner, [
      mailOf({ headers: { Date: house.clock.now().toUTCString(), 'In-Reply-To': id }, body: 'Yes.' }),
    ]);
    const { messages } = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
    expect(messages.map(({ body }: { body: string }) => body.trim())).toEqual(['On its way.', 'Well?', 'Yes.']);
  });
});

it('two mails that differ only in their subject are different mails', async () => {
  const owner = await makeOwner(house);
  const headers = { 'Message-ID': '<same@example.org>' };
  const outcomes = await ingest(house, owner, [
    mailOf({ headers }),
    mailOf({ headers: { ...headers, Subject: 'Other' } }),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['new', 'new']);
});

it('a stranger’s mail that imitates a rebuilt mail does not count as another mail’s copy', async () => {
  const owner = await makeOwner(house);
  const headers = { 'Message-ID': '<guessed@example.org>' };
  const forged = Buffer.concat([Buffer.from('X-Kontor-Rebuilt: yes\r\n'), mailOf({ headers, body: 'Forged.' })]);
  const genuine = mailOf({ headers, body: 'Genuine.' });
  for (const mails of [[forged], [genuine]]) expect(await ingest(house, owner, mails)).toMatchObject([{ kind: 'new' }]);
});

it('a mail with a fingerprint by an earlier rule is recognised when it comes again in other bytes', async () => {
  const owner = await makeOwner(house);
  const headers = { 'Message-ID': '<old@example.org>' };
  await ingest(house, owner, [mailOf({ headers })]);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update raw_mails set fingerprint = 'of the first rule', fingerprint_version = 1
      where workspace_id = ${owner.workspaceId}`),
  );
  const outcomes = await ingest(house, owner, [mailOf({ headers: { ...headers, 'X-Relay': 'another' } })]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['known']);
});
