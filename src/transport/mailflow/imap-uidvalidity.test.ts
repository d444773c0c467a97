/** Servers that number their mails anew, with another UIDVALIDITY and with the same. */
import { beforeEach, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';

const { house, server, openDesk, subjectsOf, beginAnew } = await useImapMail();

beforeEach(beginAnew);

type Desk = Awaited<ReturnType<typeof openDesk>>;
const hourMs = 3_600_000;
const originsOf = ({ owner }: Desk) =>
  house.app.db.rows<{ origin: string; count: number }>(sql`
    select case when is_history then 'history' else 'live' end as origin, count(*) from raw_mails
    where workspace_id = ${owner.workspaceId} group by 1 order by 1`);

describe('UIDVALIDITY', () => {
  test('that changes doubles nothing and loses nothing', async () => {
    const desk = await openDesk();
    server.deliver(desk.address, { raw: mailOf('Before') });
    await desk.read();
    server.deliver(desk.address, { raw: mailOf('Unread') });
    server.renewUidValidity(desk.address);
    await desk.read();
    server.deliver(desk.address, { raw: mailOf('After') });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['After', 'Before', 'Unread']);
  });

  test('of a server that moved and stamps today on old mail: old mail tells nobody', async () => {
    const desk = await openDesk();
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update mailboxes set connected_at = ${earlier(sql`connected_at`, '30 days')}, history_days = 365
        where id = ${desk.id}`),
    );
    const at = (days: number) => new Date(house.clock.now().getTime() - days * 24 * hourMs);
    server.deliver(desk.address, { raw: mailOf('Old', [], at(20)), internalDate: house.clock.now() });
    server.deliver(desk.address, { raw: mailOf('Young', [], at(0)), internalDate: house.clock.now() });
    server.renewUidValidity(desk.address, { internalDate: house.clock.now() });
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['Young']);
  });
});

describe('more than 100 unknown mails after a change of UIDVALIDITY', () => {
  test('tell nobody, and the status says so', async () => {
    const desk = await openDesk();
    server.deliver(desk.address, { raw: mailOf('Known') });
    await desk.read();
    for (let mail = 0; mail < 101; mail++) server.deliver(desk.address, { raw: mailOf('Moved') });
    server.renewUidValidity(desk.address);
    house.clock.advance(1_000);
    await desk.read();
    expect(await originsOf(desk)).toEqual([
      { origin: 'history', count: 101 },
      { origin: 'live', count: 1 },
    ]);
    const { statusReason, status } = await getMailbox(house.app.db, desk.mailbox);
    expect({ status, statusReason }).toEqual({ status: 'active', statusReason: expect.stringContaining('100') });
    server.deliver(desk.address, { raw: mailOf('Live') });
    await desk.read();
    expect(await originsOf(desk)).toMatchObject([{ count: 101 }, { origin: 'live', count: 2 }]);
    house.clock.advance(8 * 24 * hourMs);
    await desk.read();
    expect(await getMailbox(house.app.db, desk.mailbox)).toMatchObject({ statusReason: null });
  });

  test('up to 100 are new', async () => {
    const desk = await openDesk();
    for (let mail = 0; mail < 20; mail++) server.deliver(desk.address, { raw: mailOf('Known') });
    await desk.read();
    for (let mail = 0; mail < 100; mail++) server.deliver(desk.address, { raw: mailOf('New') });
    server.renewUidValidity(desk.address);
    await desk.read();
    expect(await originsOf(desk)).toEqual([{ origin: 'live', count: 120 }]);
  });
});

describe('a server that numbers its mails anew and keeps UIDVALIDITY', () => {
  /** The next mail gets a UID that another mail had. */
  const numberAnew = ({ address }: Desk) =>
    server.renewUidValidity(address, { uidValidity: server.folder(address).uidValidity });
  const deliver = ({ address }: Desk, ...subjects: string[]) => {
    for (const subject of subjects) server.deliver(address, { raw: mailOf(subject) });
  };

  test.each<[string, { gone: number[]; fresh: number }]>([
    ['below the last UID', { gone: [1, 2, 3], fresh: 1 }],
    ['up to the last UID', { gone: [1], fresh: 1 }],
    ['beyond the last UID', { gone: [1, 2, 3], fresh: 5 }],
  ])('loses no mail with a used UID: %s', async (_where, { gone, fresh }) => {
    for (const hasZeroUidValidity of [false, true]) {
      Object.assign(server.quirks, { hasZeroUidValidity });
      const desk = await openDesk();
      deliver(desk, 'Old 1', 'Old 2', 'Old 3');
      await desk.read();
      server.expunge(desk.address, gone);
      numberAnew(desk);
      const subjects = Array.from({ length: fresh }, (_, at) => `New ${at + 1}`);
      deliver(desk, ...subjects);
      await desk.read();
      await desk.read();
      expect(await subjectsOf(desk)).toEqual([...subjects, 'Old 1', 'Old 2', 'Old 3']);
    }
  });

  test('loses no mail in a folder that was empty', async () => {
    const desk = await openDesk();
    deliver(desk, 'Old');
    await desk.read();
    server.expunge(desk.address, [1]);
    await desk.read();
    numberAnew(desk);
    deliver(desk, 'New 1', 'New 2');
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['New 1', 'New 2', 'Old']);
  });

  test('loses no mail when a former UIDVALIDITY comes back', async () => {
    const desk = await openDesk();
    const { uidValidity } = server.folder(desk.address);
    deliver(desk, 'Old');
    await desk.read();
    server.renewUidValidity(desk.address);
    await desk.read();
    server.expunge(desk.address, [1]);
    server.renewUidValidity(desk.address, { uidValidity });
    deliver(desk, 'New');
    await desk.read();
    expect(await subjectsOf(desk)).toEqual(['New', 'Old']);
  });
});
