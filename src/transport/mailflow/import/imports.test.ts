import { describe, expect, it, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { zipOf } from '../../../../test/harness/zip.ts';
import { makeOwner } from '../../../../test/worlds/factories.ts';
import { type File, mailsOf, mboxOf, uploadsTo } from '../../../../test/worlds/imports/uploaded-imports.ts';
import { liveTicketsOf, mailOf } from '../../../../test/worlds/mails.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { drain } from '../../../worker.ts';
import { workOnImport } from './run-import.ts';

const house = useHouse({ IMPORT_MAX_BYTES: '2000000' });
const { start, read, imported, countOf, uploadsOf } = uploadsTo(house);

describe('an import of uploaded files', () => {
  it('leaves out drafts, deleted mail, spam and chats, and counts them', async () => {
    const owner = await makeOwner(house);
    const marked = (fields: string, at: number) =>
      Buffer.concat([Buffer.from(`${fields}\r\n`), mailsOf(1, `${at}.${newId()}`)[0] ?? Buffer.alloc(0)]);
    const takeout = ['Inbox,Unread', 'Spam', '=?UTF-8?Q?Trash,Unread?=', 'Drafts', 'Sent', 'Chat'];
    const thunderbird = ['0001', '0009'];
    const result = await imported(owner, [
      ['takeout.mbox', mboxOf(takeout.map((labels, at) => marked(`X-Gmail-Labels: ${labels}`, at)))],
      ['Inbox', mboxOf(thunderbird.map((status, at) => marked(`X-Mozilla-Status: ${status}`, at)))],
      ['Entwürfe.mbox', mboxOf(mailsOf(2))],
      ['mail.zip', zipOf([{ name: 'Maildir/.Junk/cur/17:2,S', content: mailsOf(1)[0] ?? '' }])],
    ]);
    expect(result).toMatchObject({ read: 3, imported: 3, tickets: 3, passedOver: 0, quarantined: 0, problems: [] });
    expect(result.leftOut).toEqual({ drafts: 3, deleted: 2, spam: 2, chats: 1 });
    expect(await countOf(owner)).toBe(3);
  });

  it('takes mbox files, mails and archives, and reports what it took and what it passed over, and why', async () => {
    const owner = await makeOwner(house);
    const [first, second, third, fourth] = mailsOf(4) as [Buffer, Buffer, Buffer, Buffer];
    const result = await imported(owner, [
      ['Inbox.mbox', mboxOf([first, second])],
      ['one.eml', third],
      [
        'all.zip',
        zipOf([
          { name: 'a/1.eml', content: fourth },
          { name: 'a/first.eml', content: first },
          { name: 'notes.txt', content: 'n' },
        ]),
      ],
      ['photo.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47)],
      ['none.eml', ''],
      ['cut.zip', 'PK\u0003\u0004 cut'],
    ]);
    expect(result).toMatchObject({
      state: 'done',
      failure: null,
      fileCount: 6,
      fileNames: ['Inbox.mbox', 'one.eml', 'all.zip', 'photo.png', 'none.eml', 'cut.zip'],
      read: 5,
      imported: 4,
      known: 1,
      quarantined: 0,
      passedOver: 4,
      tickets: 4,
      createdBy: owner.userId,
      secondsLeft: null,
      problems: [
        { source: 'all.zip/notes.txt', reason: 'not-a-mail', message: 'not a mail' },
        { source: 'photo.png', reason: 'not-a-mail' },
        { source: 'none.eml', reason: 'empty-file' },
        { source: 'cut.zip', reason: 'damaged' },
      ],
    });
    expect(result.processed).toBe(result.size);
    expect((await owner.call('GET', '/imports')).body).toMatchObject([{ id: result.id, state: 'done' }]);
    expect(await uploadsOf()).toEqual([]);
    expect(await liveTicketsOf(owner)).toHaveLength(4);
    const log = (await owner.call('GET', '/audit')).body.items;
    expect(log.filter(({ type }: { type: string }) => type.startsWith('import.'))).toMatchObject([
      { type: 'import.ended', actor: null, data: { state: 'done', imported: 4, known: 1, passedOver: 4 } },
      { type: 'import.started', data: { files: 6, size: result.size } },
    ]);
  });

  it('takes no mail twice, whatever file it is in', async () => {
    const owner = await makeOwner(house);
    const mails = mailsOf(3);
    await imported(owner, [['a.mbox', mboxOf(mails)]]);
    const again = await imported(
      owner,
      mails.map((mail, at): File => [`${at}.eml`, mail]),
    );
    expect(again).toMatchObject({ imported: 0, known: 3, tickets: 0 });
    expect(await liveTicketsOf(owner)).toHaveLength(3);
  });

  it('is silent: it notifies nobody, mails nothing and calls no webhook', async () => {
    const owner = await makeOwner(house);
    await owner.call('POST', '/webhooks', {
      url: 'https://receiver.example.com/',
      events: ['ticket.created', 'message.added'],
    });
    const mails = mailsOf(3);
    const answer = mailOf({ headers: { 'In-Reply-To': `<0.${newId()}@example.org>` } });
    const sent = (await house.outbox()).length;
    await imported(owner, [['a.mbox', mboxOf([...mails, answer])]]);
    await drain(house.app);
    expect((await owner.call('GET', '/notifications')).body.items ?? []).toEqual([]);
    expect(await house.outbox()).toHaveLength(sent);
    expect(
      await house.app.db.rows(sql`select type from webhook_deliveries where workspace_id = ${owner.workspaceId}`),
    ).toEqual([]);
    const [ticket] = await liveTicketsOf(owner);
    const { body: events } = await owner.call('GET', `/tickets/${ticket.id}/events`);
    expect(events.items).toMatchObject([{ type: 'ticket.created' }]);
  });

  it.each([
    ['', { status: 'open', archivedAt: null }],
    ['?status=closed', { status: 'closed', archivedAt: null }],
    ['?status=archived', { status: 'closed', archivedAt: expect.any(String) }],
  ])('gives new tickets the status that was chosen: %s', async (query, state) => {
    const owner = await makeOwner(house);
    await imported(owner, [['a.eml', mailsOf(1)[0] as Buffer]], query);
    expect(await liveTicketsOf(owner)).toMatchObject([state]);
  });

  it('counts mail from the own addresses as sent, in any order, with the customer as requester', async () => {
    const mailsBetween = (id: string) => [
      mailOf({ headers: { From: 'ann@example.net', To: 'help@acme.test', 'Message-ID': `<q.${id}@x>`, Subject: 'Q' } }),
      mailOf({
        headers: {
          From: 'Bob <Bob+desk@ACME.test>',
          To: 'ann@example.net',
          'Message-ID': `<a.${id}@x>`,
          Subject: 'Re: Q',
          'In-Reply-To': `<q.${id}@x>`,
          Date: 'Tue, 3 Mar 2026 10:00:00 +0000',
        },
      }),
      mailOf({
        headers: { From: 'bob@acme.test', To: 'carl@example.net', 'Message-ID': `<o.${id}@x>`, Subject: 'Offer' },
      }),
      mailOf({
        headers: { From: 'form@acme.test', To: 'help@acme.test', 'Message-ID': `<f.${id}@x>`, Subject: 'Form' },
      }),
    ];
    for (const query of [
      '?ownAddress=@Acme.test',
      '?ownAddress=bob@acme.test&ownAddress=help@acme.test&ownAddress=form@acme.test',
    ])
      for (const inOrder of [true, false]) {
        const owner = await makeOwner(house);
        const mails = mailsBetween(newId());
        await imported(owner, [['a.mbox', mboxOf(inOrder ? mails : mails.toReversed())]], `${query}&status=closed`);
        const shown: string[] = [];
        for (const { id } of await liveTicketsOf(owner)) {
          const { body } = await owner.call('GET', `/tickets/${id}`);
          shown.push(
            [
              body.subject,
              body.status,
              body.requester?.email,
              ...body.messages.map(({ direction }: any) => direction).sort(),
            ].join(' '),
          );
        }
        expect(shown.sort()).toEqual([
          'Form closed  inbound',
          'Offer closed carl@example.net outbound',
          'Q closed ann@example.net inbound outbound',
        ]);
      }
  });
});

describe('an import that ends early', () => {
  it('stops between two batches, keeps what it took, and can be started again', async () => {
    const owner = await makeOwner(house);
    const files: File[] = [['a.mbox', mboxOf(mailsOf(400))]];
    const { body } = await start(owner, files);
    const working = drain(house.app);
    await expect.poll(async () => (await read(owner, body.id)).read).toBeGreaterThan(0);
    expect((await owner.call('POST', `/imports/${body.id}/stop`)).body.state).toBe('stopping');
    await working;
    const stopped = await read(owner, body.id);
    expect(stopped.state).toBe('stopped');
    expect(stopped.imported).toBeLessThan(400);
    expect(await uploadsOf()).toEqual([]);
    expect(await countOf(owner)).toBe(stopped.imported);
    const { imported: rest, known } = await imported(owner, files);
    expect([rest + stopped.imported, known]).toEqual([400, stopped.imported]);
    expect((await owner.call('POST', `/imports/${body.id}/stop`)).body.state).toBe('stopped');
  }, 60_000);

  it('stops where no process works on it', async () => {
    const owner = await makeOwner(house);
    const { body } = await start(owner, [['a.mbox', mboxOf(mailsOf(2))]]);
    await owner.call('POST', `/imports/${body.id}/stop`);
    await drain(house.app);
    expect(await read(owner, body.id)).toMatchObject({ state: 'stopped', imported: 0 });
    expect(await uploadsOf()).toEqual([]);
  });

  it('fails when its file is gone', async () => {
    const owner = await makeOwner(house);
    const { body } = await start(owner, [['a.mbox', mboxOf(mailsOf(2))]]);
    await house.app.blobs.stored.remove(owner.workspaceId, `${body.id}.0.import`);
    await drain(house.app);
    expect(await read(owner, body.id)).toMatchObject({ state: 'failed', failure: 'file_missing' });
  });
});

test('an import goes on after its process died or stopped in its middle, and counts each mail once', async () => {
  const owner = await makeOwner(house);
  const key = { workspaceId: owner.workspaceId, id: '' };
  const mails = mailsOf(300);
  const { body } = await start(owner, [
    ['a.mbox', mboxOf(mails.slice(0, 150))],
    ['b.zip', zipOf(mails.slice(150).map((content, at) => ({ name: `${at}.eml`, content })))],
    ['c.txt', 'none'],
  ]);
  key.id = body.id;
  // Stops after each batch, as a process does that is asked to.
  let read300 = 0;
  for (let turn = 0; read300 < 300; turn++) {
    expect(turn).toBeLessThan(20);
    const stopping = new AbortController();
    const died = turn === 1;
    const takes = died ? dyingHouse() : house.app;
    const working = workOnImport(takes, key, stopping.signal).catch((error: Error) => error.message);
    const now = async () => (await read(owner, body.id)).read;
    await expect.poll(async () => died || (await now()) > read300).toBe(true);
    if (!died) stopping.abort();
    expect(await working).toBe(died ? 'killed' : undefined);
    read300 = await now();
    await house.app.db.tx((tx) =>
      tx.run(sql`
      update mail_imports set lease_until = now() - interval '1 second'
      where workspace_id = ${key.workspaceId} and id = ${key.id} and lease_holder is not null`),
    );
  }
  await drain(house.app);
  expect(await read(owner, body.id)).toMatchObject({
    state: 'done',
    read: 300,
    imported: 300,
    known: 0,
    passedOver: 1,
    tickets: 300,
  });
  expect(await countOf(owner)).toBe(300);
}, 120_000);

/** Stores mails, and dies before it takes them. */
function dyingHouse() {
  let count = 0;
  const tx: typeof house.app.db.tx = (work) =>
    house.app.db.tx(async (inner) => {
      const result = await work(inner);
      if (Array.isArray(result) && result.some((one) => one?.kind === 'new') && ++count > 0) throw new Error('killed');
      return result;
    });
  return { ...house.app, db: { ...house.app.db, tx } };
}
