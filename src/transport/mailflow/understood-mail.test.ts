import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();

test('a file that the text shows nowhere counts and is found as an attachment', async () => {
  const owner = await makeOwner(house);
  const part = (fields: string, content: string) => `--b\r\nContent-Type: ${fields}\r\n\r\n${content}\r\n`;
  const html = '<p>Contract <object data="cid:c1"></object><img src="CID:p%201"></p>';
  const body = [
    part('text/html', html),
    part('application/pdf; name=contract.pdf\r\nContent-ID: <c1>', '%PDF'),
    part('image/png; name=logo.png\r\nContent-ID: <p 1>', 'PNG'),
    '--b--',
  ].join('');
  await ingest(house, owner, [mailOf({ headers: { 'Content-Type': 'multipart/related; boundary=b' }, body })]);
  const [listed] = (await owner.call('GET', '/tickets?hasAttachment=true')).body;
  expect(listed).toMatchObject({ attachmentCount: 1 });
  const { messages } = await ticketOf(owner, listed.id);
  expect(messages[0].attachments).toMatchObject([
    { fileName: 'contract.pdf', isInline: false },
    { fileName: 'logo.png', isInline: true },
  ]);
});

test('words of table cells are found one by one', async () => {
  const owner = await makeOwner(house);
  const body =
    '<table><tr><td>SKU-4711</td><td>2</td><td>19.99</td></tr><tr><td>Phone</td><td>0307654999</td></tr></table>';
  await ingest(house, owner, [mailOf({ headers: { 'Content-Type': 'text/html' }, body })]);
  const [{ lastMessage }] = await ticketsOf(owner);
  expect(lastMessage.snippet).toBe('SKU-4711 2 19.99 Phone 0307654999');
  for (const word of ['19.99', '0307654999', 'phone'])
    expect((await owner.call('GET', `/tickets?search=${word}`)).body, word).toHaveLength(1);
});

test('a mail keeps a subject of its own, which a search finds', async () => {
  const owner = await makeOwner(house);
  const answer = (Subject: string) => mailOf({ headers: { Subject, 'In-Reply-To': '<first@example.org>' } });
  await ingest(house, owner, [
    mailOf({ headers: { Subject: 'Old subject 765', 'Message-ID': '<first@example.org>' } }),
    answer('Quite another matter 766'),
    answer('AW: old  Subject 765'),
    answer(''),
    answer('Re: Old subject 765 (urgent)'),
  ]);
  const [listed, ...others] = await ticketsOf(owner);
  expect(others).toEqual([]);
  expect(listed.subject).toBe('Old subject 765');
  const subjects = (await ticketOf(owner, listed.id)).messages.map(({ subject }: any) => subject);
  expect(subjects.toSorted()).toEqual(['Quite another matter 766', 'Re: Old subject 765 (urgent)', null, null, null]);
  for (const search of ['Quite another matter', '766', 'urgent'])
    expect((await owner.call('GET', `/tickets?search=${search}`)).body, search).toHaveLength(1);
});

test('a received mail keeps the fields for which a rule may ask, and a redaction takes them away', async () => {
  const owner = await makeOwner(house);
  const headers = { 'List-Id': '<dev.lists.example>', Importance: 'high', 'X-Original-Sender': 'Zora <z@z.example>' };
  await ingest(house, owner, [mailOf({ headers })]);
  const kept = () => house.app.db.one(sql`select headers from messages where workspace_id = ${owner.workspaceId}`);
  expect(await kept()).toEqual({
    headers: {
      'list-id': ['<dev.lists.example>'],
      importance: ['high'],
      'x-original-sender': ['Zora <z@z.example>'],
    },
  });
  const [{ id }] = await ticketsOf(owner);
  const [message] = (await ticketOf(owner, id)).messages;
  expect((await owner.call('POST', `/tickets/${id}/messages/${message.id}/redact`, {})).status).toBe(200);
  expect(await kept()).toEqual({ headers: null });
});
