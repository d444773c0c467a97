import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';

const house = useHouse();

async function truncatedOf(mail: Buffer): Promise<string[]> {
  const owner = await makeOwner(house);
  await ingest(house, owner, [mail]);
  const [{ id }] = await ticketsOf(owner);
  return (await ticketOf(owner, id)).messages[0].truncated;
}

const parts = (count: number, type: string) =>
  mailOf({
    headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
    body: `${`--b\r\nContent-Type: ${type}\r\n\r\nx\r\n`.repeat(count)}--b--`,
  });
const recipients = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@example.org`).join(',\r\n ');

test.each([
  ['nothing, of an ordinary one', mailOf(), []],
  ['nothing, of one with as many recipients as are kept', mailOf({ headers: { To: recipients(500) } }), []],
  ['text', mailOf({ body: 'word '.repeat(200_001) }), ['text']],
  [
    'text that was HTML',
    mailOf({ headers: { 'Content-Type': 'text/html' }, body: `<p>${'<b></b>'.repeat(150_000)}end</p>` }),
    ['text'],
  ],
  ['attachments', parts(1_000, 'image/png'), ['attachments']],
  ['recipients', mailOf({ headers: { To: recipients(501) } }), ['recipients']],
])('a message shows which parts of its mail are missing: %s', async (_, mail, truncated) => {
  expect(await truncatedOf(mail)).toEqual(truncated);
});
