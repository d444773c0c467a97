import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { keptFiles, uploadApart } from '../../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';

const house = useHouse();
let owner: Person;
let colleague: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  colleague = await makeMember(house, owner.workspaceId, 'admin');
});

const makeTicket = async () => (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id as string;
const append = (person: Person, ticketId: string, attachmentIds: string[]) =>
  person.call('POST', `/tickets/${ticketId}/messages`, { body: 'x', attachmentIds });

test('an upload without a ticket goes with any message of its member, once', async () => {
  const { status, body: file } = await uploadApart(house, owner, { content: 'apart' });
  expect(status).toBe(201);
  const [first, second] = [await makeTicket(), await makeTicket()];
  const answers = await Promise.all([append(owner, first, [file.id]), append(owner, second, [file.id])]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  const taken = answers.find(({ status }) => status === 201)?.body;
  expect(taken.attachments).toMatchObject([{ id: file.id, fileName: 'notes.txt' }]);
  expect((await colleague.call('GET', `/attachments/${file.id}`)).body).toBe('apart');
});

test('a new ticket takes uploads, shows pictures inline and is found by file names', async () => {
  const { body: file } = await uploadApart(house, owner, { name: 'blueprint.txt' });
  const { contentId, id } = file;
  const ticket = { subject: 's', body: 'b', bodyHtml: `<img src="cid:${contentId}">`, attachmentIds: [id] };
  const { body } = await owner.call('POST', '/tickets', ticket);
  const [message] = (await owner.call('GET', `/tickets/${body.id}`)).body.messages;
  expect(message.attachments).toMatchObject([{ id, isInline: true }]);
  expect((await owner.call('GET', '/tickets?search=blueprint')).body).toMatchObject([{ id: body.id }]);
  expect((await owner.call('POST', '/tickets', ticket)).status).toBe(400);
});

test('only its member sees or takes the upload', async () => {
  const { body: file } = await uploadApart(house, owner);
  const stranger = await makeOwner(house);
  for (const other of [colleague, stranger])
    expect((await other.call('GET', `/attachments/${file.id}`)).body.key).toBe('attachment.not_found');
  expect((await append(colleague, await makeTicket(), [file.id])).status).toBe(400);
  expect((await stranger.call('POST', '/tickets', { subject: 's', body: 'b', attachmentIds: [file.id] })).status).toBe(
    400,
  );
  expect((await owner.call('GET', `/attachments/${file.id}`)).status).toBe(200);
  const { pathname, search } = new URL(file.url);
  expect((await fetch(`${house.url}${pathname}${search}`)).status).toBe(200);
});

test('a viewer may not upload', async () => {
  const viewer = await makeMember(house, owner.workspaceId, 'viewer');
  expect((await uploadApart(house, viewer)).body.key).toBe('auth.role_insufficient');
});

test('an unused upload is deleted after a day', async () => {
  const { body: file } = await uploadApart(house, owner, { content: 'never used' });
  house.clock.advance(25 * 3_600_000);
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
  expect((await keptFiles(house)).filter((path) => path.endsWith(file.sha256))).toEqual([]);
});
