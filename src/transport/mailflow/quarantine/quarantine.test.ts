import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../../test/worlds/mails.ts';
import { newId } from '../../../ground/lib/ids.ts';

const house = useHouse();
let owner: Person;
beforeAll(async () => {
  owner = await makeOwner(house);
});

const list = async (): Promise<any[]> => (await owner.call('GET', '/mail/quarantine')).body.items;
const settle = (verb: 'retry' | 'discard', { id }: { id: string }, person = owner) =>
  person.call('POST', `/mail/quarantine/${id}/${verb}`);

/** Zero bytes without a header field cannot be read. */
async function quarantined(words: string): Promise<any> {
  await ingest(house, owner, [Buffer.from(`\0${words}`)]);
  return (await list())[0];
}

test('a mail of the quarantine shows how it begins, and can be read again', async () => {
  const mail = await quarantined('no header at all');
  expect(mail).toMatchObject({ ticketId: expect.any(String), reason: expect.stringMatching(/no header/) });
  const read = await owner.call('GET', `/mail/quarantine/${mail.id}`);
  expect(read.body).toEqual({ ...mail, beginning: '\uFFFDno header at all' });

  expect((await settle('retry', mail)).status).toBe(204);
  expect(await list()).toEqual([]);
  expect((await settle('retry', mail)).body.key).toBe('mail.not_quarantined');
  await house.drain();
  // It still cannot be read, so it comes back with another ticket. The first is in the trash.
  const [again] = await list();
  expect(again).toMatchObject({ id: mail.id, reason: mail.reason });
  expect(again.ticketId).not.toBe(mail.ticketId);
  expect((await ticketsOf(owner)).map(({ id }) => id)).toEqual([again.ticketId]);
  expect((await owner.call('GET', `/tickets/${mail.ticketId}?trash=true`)).status).toBe(200);
});

test('a mail of an import is read again as history, and notifies nobody', async () => {
  await ingest(house, owner, [Buffer.from('\0an old mail')], 'import');
  const [mail] = await list();
  await settle('retry', mail);
  await house.drain();
  expect((await list())[0]).toMatchObject({ id: mail.id });
});

test('a discarded mail leaves an entry in the audit log, and its ticket goes to the trash', async () => {
  const mail = await quarantined('to be discarded');
  const viewer = await makeMember(house, owner.workspaceId, 'viewer');
  expect((await settle('discard', mail, viewer)).body.key).toBe('auth.role_insufficient');
  expect((await settle('discard', mail)).status).toBe(204);
  expect((await list()).map(({ id }) => id)).not.toContain(mail.id);
  expect((await settle('discard', mail)).body.key).toBe('mail.not_quarantined');
  expect((await settle('discard', { id: newId() })).body.key).toBe('mail.not_quarantined');
  expect((await owner.call('GET', '/audit?type=mail.discarded')).body.items).toMatchObject([
    { subject: { type: 'mail', id: mail.id }, data: { reason: mail.reason, size: mail.size } },
  ]);
  expect((await owner.call('GET', `/tickets/${mail.ticketId}`)).status).toBe(404);
  expect((await owner.call('POST', `/tickets/${mail.ticketId}/restore`)).status).toBe(200);
  await ingest(house, owner, [Buffer.from('\0to be discarded'), mailOf()]);
  expect((await list()).map(({ id }) => id)).not.toContain(mail.id);
});

test('a ticket in which people have written stays', async () => {
  const mail = await quarantined('to be discussed');
  await owner.call('POST', `/tickets/${mail.ticketId}/messages`, { body: 'I will call them.', isInternal: true });
  await settle('discard', mail);
  expect((await owner.call('GET', `/tickets/${mail.ticketId}`)).body.messageCount).toBe(2);
});

test('a mail whose ticket is in the trash is not listed', async () => {
  const mail = await quarantined('thrown away');
  await owner.call('DELETE', `/tickets/${mail.ticketId}`);
  expect((await list()).map(({ id }) => id)).not.toContain(mail.id);
  await owner.call('POST', `/tickets/${mail.ticketId}/restore`);
  expect((await list()).map(({ id }) => id)).toContain(mail.id);
});
