import { describe, expect, it, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { formWith, keptFiles, postForm } from '../../../../test/harness/uploads.ts';
import { zipOf } from '../../../../test/harness/zip.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { liveTicketsOf, mailOf } from '../../../../test/worlds/mails.ts';
import { sql } from '../../../ground/database/sql.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { drain } from '../../../worker.ts';
import { workOnImport } from './run-import.ts';

const house = useHouse({ IMPORT_MAX_BYTES: '2000000' });

type File = [name: string, content: string | Uint8Array];

const formOf = (files: readonly File[]) =>
  formWith(
    ...files.flatMap(([name, content]) => [`Content-Disposition: form-data; name="file"; filename="${name}"`, content]),
  );

const start = (person: Person, files: readonly File[], query = '', headers: Record<string, string> = {}) =>
  postForm(house, person, `imports${query}`, formOf(files), headers);

const mboxOf = (mails: readonly Buffer[]) => mails.map((mail) => `From x Thu Jan  1 00:00:00 2026\n${mail}\n`).join('');

const mailsOf = (count: number, ids: string = newId()) =>
  Array.from({ length: count }, (_, at) =>
    mailOf({ headers: { 'Message-ID': `<${at}.${ids}@example.org>`, Subject: `Old ${at}` } }),
  );

const read = async (person: Person, id: string) => (await person.call('GET', `/imports/${id}`)).body;

/** Starts an import and works until its end. */
async function imported(person: Person, files: readonly File[], query = '') {
  const { status, body } = await start(person, files, query);
  expect({ status, body }).toMatchObject({ status: 202, body: { state: 'running', finishedAt: null } });
  await drain(house.app);
  return read(person, body.id);
}

const countOf = async ({ workspaceId }: Person) =>
  (
    await house.app.db.one<{ count: number }>(sql`
      select count(*) as count from tickets
      where workspace_id = ${workspaceId} and merged_into_id is null and message_count = 1`)
  ).count;

const uploadsOf = async () =>
  (await keptFiles(house)).filter((path) => path.endsWith('.import') || path.includes('.spool'));

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

describe('an import is refused', () => {
  it('while another of the workspace runs, also when both were uploaded at once, and leaves no file', async () => {
    const owner = await makeOwner(house);
    const both = await Promise.all([1, 2].map(() => start(owner, [['a.mbox', mboxOf(mailsOf(2))]])));
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await start(owner, [['b.eml', 'x']])).body.key).toBe('import.running');
    const other = await makeOwner(house);
    expect((await start(other, [['b.eml', mailsOf(1)[0] as Buffer]])).status).toBe(202);
    await drain(house.app);
    expect(await uploadsOf()).toEqual([]);
    expect((await owner.call('GET', '/imports')).body).toHaveLength(1);
  });

  it('beyond the limit, without a file, with too many files, and with options that mean nothing', async () => {
    const owner = await makeOwner(house);
    const large = 'x'.repeat(1_200_000);
    expect(
      (
        await start(owner, [
          ['a.mbox', large],
          ['b.mbox', large],
        ])
      ).status,
    ).toBe(413);
    expect((await start(owner, [])).body).toMatchObject({ key: 'request.invalid' });
    const many = Array.from({ length: 1_001 }, (_, at): File => [`${at}.eml`, 'x']);
    expect((await start(owner, many)).body.params.issues).toMatchObject([
      { path: 'body.file', message: 'must be 1000 files at most' },
    ]);
    expect((await start(owner, [['a.eml', 'x']], '?ownAddress=nobody')).body.params.issues).toMatchObject([
      { path: 'query.ownAddress' },
    ]);
    expect((await start(owner, [['a.eml', 'x']], '?status=lost')).status).toBe(400);
    expect(await uploadsOf()).toEqual([]);
  });

  it('to agents, viewers and other workspaces', async () => {
    const owner = await makeOwner(house);
    const { body } = await start(owner, [['a.eml', mailsOf(1)[0] as Buffer]]);
    for (const role of ['agent', 'viewer'] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await start(member, [['a.eml', 'x']])).status).toBe(403);
      expect((await member.call('GET', `/imports/${body.id}`)).status).toBe(403);
      expect((await member.call('POST', `/imports/${body.id}/stop`)).status).toBe(403);
    }
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await admin.call('GET', `/imports/${body.id}`)).status).toBe(200);
    const stranger = await makeOwner(house);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/stop'],
    ] as const)
      expect((await stranger.call(method, `/imports/${body.id}${path}`)).body.key).toBe('import.not_found');
    await drain(house.app);
  });

  it('not when the same request comes again: it gets the same answer', async () => {
    const owner = await makeOwner(house);
    const files: File[] = [['a.eml', mailsOf(1)[0] as Buffer]];
    const key = { 'idempotency-key': newId() };
    const first = await start(owner, files, '', key);
    expect((await start(owner, files, '', key)).body).toEqual(first.body);
    await drain(house.app);
    expect((await start(owner, files, '', key)).body).toEqual(first.body);
    expect((await owner.call('GET', '/imports')).body).toMatchObject([{ state: 'done', imported: 1 }]);
    // The file of the repeat goes after its answer was sent.
    await expect.poll(uploadsOf).toEqual([]);
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
