import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@desk.example>' });

/** Answers a mail, and returns the answer's delivery and what went out. */
async function answered(headers: Record<string, string>, toAddresses?: string[]) {
  const owner = await makeOwner(house);
  await ingest(house, owner, [mailOf({ headers })]);
  const [{ id }] = await ticketsOf(owner);
  const mailsBefore = (await house.outbox()).length;
  const { status, body } = await owner.call('POST', `/tickets/${id}/messages`, {
    body: 'Try again.',
    sendEmail: true,
    ...(toAddresses && { toAddresses }),
  });
  await house.drain();
  const message = (await ticketOf(owner, id)).messages.find((other: { id: string }) => other.id === body.id);
  return { status, message, mails: (await house.outbox()).slice(mailsBefore) };
}

test.each(['"smith;j"@example.org', '"smith,j"@example.org'])(
  'an answer to %s does not go to a part of the address',
  async (email) => {
    expect(await answered({}, [email])).toMatchObject({ status: 400, mails: [] });
    const { message, mails } = await answered({ From: email });
    expect(mails).toEqual([]);
    expect(message.delivery).toMatchObject({ status: 'failed', error: expect.stringContaining('no mail can be sent') });
  },
);

test('an answer reaches an address with quoted blanks', async () => {
  const { message, mails } = await answered({ From: '"john smith"@example.org' });
  expect(message).toMatchObject({ to: ['"john smith"@example.org'], delivery: { status: 'sent' } });
  expect(mails[0]).toMatch(/^To: <?"john smith"@example\.org>?\r$/m);
});

test('text that looks like a header comment stays in the address', async () => {
  const { mails } = await answered({}, ['(x)ann@example.org', 'ben@example.org']);
  expect(mails[0]).toContain('To: <"(x)ann"@example.org>, ben@example.org\r\n');
});
