import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();

test('whatever happens to tickets at once, each is in exactly one of inbox, archive, spam and trash', async () => {
  const owner = await makeOwner(house);
  const firsts = Array.from({ length: 4 }, (_, at) =>
    mailOf({ headers: { 'Message-ID': `<first-${at}@example.org>`, Subject: `Matter ${at}` } }),
  );
  await ingest(house, owner, firsts);
  const ids: string[] = (await owner.call('GET', '/tickets')).body.map(({ id }: { id: string }) => id);
  const mails = Array.from({ length: 24 }, (_, at) =>
    mailOf({ headers: { 'In-Reply-To': `<first-${at % 4}@example.org>`, Subject: `Re: Matter ${at % 4}` } }),
  );
  const bulk = (change: object) => owner.call('POST', '/tickets/bulk', { ids, ...change });
  const changes = [
    { spam: true },
    { archive: true },
    { spam: false },
    { trash: true },
    { spam: true, trash: true },
    { trash: false },
    { status: 'closed' },
    { trash: false, spam: false },
    { archive: false },
    { trash: false, spam: true },
  ];
  const answers = await Promise.all([
    ...mails.map((mail) => ingest(house, owner, [mail])),
    ...changes.map(bulk),
    ...ids.map((id) => owner.call('POST', `/tickets/${id}/spam`, { blockSender: 'address' })),
    ...ids.map((id) => owner.call('POST', `/tickets/${id}/not-spam`, { unblockSender: true })),
    ...ids.map((id) => owner.call('DELETE', `/tickets/${id}`)),
  ]);
  const results = answers.flatMap((answer) =>
    Array.isArray(answer) ? [] : (answer.body?.results ?? [{ status: answer.status }]),
  );
  expect(results.map(({ status }: { status: number }) => status).filter((status: number) => status >= 500)).toEqual([]);

  const lists = ['', '?status=closed', '?archived=true', '?spam=true', '?trash=true'];
  const found = await Promise.all(
    lists.map(async (list) => (await owner.call('GET', `/tickets${list}${list === '' ? '?' : '&'}limit=500`)).body),
  );
  const [, , , spam = [], trash = []] = found;
  const inOpen = new Set([...(found[0] ?? []), ...(found[1] ?? [])].map(({ id }: { id: string }) => id));
  const places = [...inOpen, ...[found[2], spam, trash].flatMap((list) => (list ?? []).map(({ id }: any) => id))];
  const all = await house.app.db.rows<{ id: string; messages: number }>(sql`
    select id, message_count as messages from tickets where workspace_id = ${owner.workspaceId}`);
  expect([...places].sort()).toEqual(all.map(({ id }) => id).sort());
  expect(all.reduce((sum, { messages }) => sum + messages, 0)).toBe(firsts.length + mails.length);

  await bulk({ trash: false });
  await owner.call('POST', '/tickets/bulk', { ids: all.map(({ id }) => id), spam: false });
  expect((await owner.call('GET', '/tickets?spam=true')).body).toEqual([]);
});
