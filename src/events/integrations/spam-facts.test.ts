import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { useReceiver } from '../../../test/harness/receiver.ts';
import { makeHook, typesOf, verify } from '../../../test/worlds/integrator.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';

const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = useReceiver();

test('of spam a webhook hears only that it is spam, or is none any more', async () => {
  const hook = await makeHook(house, receiver);
  const { owner } = hook;
  await owner.call('POST', '/blocked-senders', { sender: 'offers.example' });
  const mail = (id: string, more: object = {}) =>
    mailOf({ headers: { From: 'sam@offers.example', 'Message-ID': `<${id}@offers.example>`, ...more } });
  await ingest(house, owner, [mail('1')]);
  await ingest(house, owner, [mail('2', { 'In-Reply-To': '<1@offers.example>' })]);
  await hook.happen();
  expect(typesOf(receiver.received)).toEqual(['ticket.spam_changed']);
  const [spam] = (await owner.call('GET', '/tickets?spam=true')).body;
  await owner.call('POST', `/tickets/${spam.id}/not-spam`);
  await ingest(house, owner, [mail('3', { From: 'eva@home.example', 'In-Reply-To': '<1@offers.example>' })]);
  await hook.happen();
  expect(typesOf(receiver.received)).toEqual(['ticket.spam_changed', 'ticket.spam_changed', 'message.added']);
  const told = receiver.received.map((received) => verify(hook.secret, received).data);
  expect(told).toMatchObject([
    { details: { isSpam: true, reason: 'blocked_domain' }, actor: { type: 'system' }, ticket: { id: spam.id } },
    { details: { isSpam: false, reason: null }, actor: { userId: owner.userId }, ticket: { id: spam.id } },
    { ticket: { id: spam.id } },
  ]);
});
