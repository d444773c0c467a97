import { beforeEach, describe, expect, test } from 'vitest';
import { readEvents } from '../../../test/harness/event-reader.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { formWith, postForm } from '../../../test/harness/uploads.ts';
import { givePassword, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import type { Db } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { erasePerson, listUnfinished } from './erase-person.ts';

const house = useHouse();
const dayMs = 86_400_000;
const password = 'correct horse battery';
let owner: Person;
let count = 0;

beforeEach(async () => {
  owner = await makeOwner(house);
  await givePassword(house, owner, password);
});

/** A person with words that occur nowhere else. */
function generated() {
  const n = `${++count}q${Math.floor(house.clock.now().getTime() % 1e9)}`;
  return { email: `zora.${n}@pfingst${n}.example`, name: `Zora Quellwasser${n}`, word: `planted${n}`, id: n };
}
type Generated = ReturnType<typeof generated>;

const post = async (path: string, body?: object): Promise<any> => {
  const answer = await owner.call('POST', path, body);
  expect({ path, body: answer.body, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
  return answer.body;
};
const contactOf = async (email: string): Promise<any> =>
  (await owner.call('GET', `/contacts?search=${encodeURIComponent(email)}`)).body.find(({ emails }: any) =>
    emails.includes(email),
  );
const erase = (contactId: string, email: string, own = password, person = owner) =>
  person.call('POST', `/contacts/${contactId}/erasure`, { email, password: own });
const preview = async (contactId: string): Promise<any> =>
  (await owner.call('GET', `/contacts/${contactId}/erasure`)).body;

const fileMail = ({ email, name, word, id }: Generated, headers: Record<string, string> = {}) =>
  mailOf({
    headers: {
      From: `${name} <${email}>`,
      'Message-ID': `<first-${id}@mail.example>`,
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed; boundary="b"',
      ...headers,
    },
    body: [
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<p>The text says <b>${word}</b>. ${name}</p>`,
      '--b',
      'Content-Type: text/plain',
      `Content-Disposition: attachment; filename="${word}.txt"`,
      '',
      `The file says ${word}.`,
      '--b--',
    ].join('\r\n'),
  });

/** Puts the person into all that the API and mail can write. @returns the ticket that a customer shares, and another */
async function plant(person: Generated): Promise<{ contactId: string; shared: any; mentioning: any; alone: any }> {
  const { email, name, word, id } = person;
  const alone = await post('/tickets', { subject: `Of ${word}`, body: word, requester: { email, name } });
  await post(`/tickets/${alone.id}/messages`, { body: `Dear ${name}, ${word}`, sendEmail: true });
  const merged = await post('/tickets', { subject: `Also ${word}`, body: word, requester: { email } });
  await post(`/tickets/${merged.id}/merge`, { targetTicketId: alone.id });
  // A conversation with another customer, who answers and quotes.
  await ingest(house, owner, [fileMail(person, { Subject: `Shared ${word}`, Cc: 'Carl <carl@example.org>' })]);
  const reply = [`I agree.`, '', `On Monday, ${name} <${email}> wrote:`, `> The text says ${word}.`].join('\r\n');
  await ingest(house, owner, [
    mailOf({
      headers: {
        From: 'Carl <carl@example.org>',
        To: `support@example.com, ${email}`,
        Subject: `Re: Shared ${word}`,
        'In-Reply-To': `<first-${id}@mail.example>`,
      },
      body: reply,
    }),
  ]);
  const found = (await owner.call('GET', `/tickets?search=${word}&archived=any`)).body;
  const shared = found.find(({ subject }: any) => subject === `Shared ${word}`);
  await post(`/tickets/${shared.id}/messages`, { body: `${name} seems angry`, isInternal: true });
  const mentioning = await post('/tickets', {
    subject: 'Of Eve',
    body: `Ask ${email.toUpperCase()} about it.`,
    requester: { email: 'eve@example.net', name: 'Eve' },
  });
  const named = { subject: `Form of ${email}`, body: 'A form', requester: { email: 'eve@example.net' } };
  await post('/tickets', named);
  await owner.call('PUT', `/tickets/${mentioning.id}/drafts/answer`, { body: `cc ${email}`, cc: [email], version: 0 });
  await post('/views', { name: 'Theirs', query: { search: email } });
  await post('/blocked-senders', { sender: email });
  await owner.call('PUT', '/tags/colour', { tag: `of ${email}`, colour: 'red' });
  // Files that mail programs name after the person: the import takes the first file and passes over the second.
  const part = (file: string, content: string): [string, string] => [
    `Content-Disposition: form-data; name="file"; filename="${file}"`,
    content,
  ];
  const saved = part(`Mail of ${email}.eml`, 'From: eve@example.net\r\nSubject: Saved\r\n\r\nHello.\r\n');
  await postForm(house, owner, 'imports', formWith(...saved, ...part(`${email}.mbox`, 'no mails')));
  await house.drain();
  return { contactId: (await contactOf(email)).id, shared, mentioning, alone };
}

async function sweepFiles(): Promise<void> {
  house.clock.advance(3 * dayMs);
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
}

const placesWith = async ({ email, name, word }: Generated): Promise<string[][]> => {
  const [, domain = ''] = email.split('@');
  return Promise.all([email, name, word, domain].map((text) => placesOf(house, text)));
};

describe('an erased person', () => {
  test('is found nowhere: not in a table, a file or the search; tickets of others are as before', async () => {
    const person = generated();
    const { email, name, word } = person;
    const { contactId, shared, mentioning, alone } = await plant(person);
    expect(await preview(contactId)).toMatchObject({
      emails: [email],
      ticketsDeleted: 1,
      ticketsKept: 1,
      erasure: null,
    });

    expect((await placesWith(person)).every((places) => places.length > 2)).toBe(true);
    const answer = await erase(contactId, email.toUpperCase());
    expect(answer).toMatchObject({ status: 202, body: { contactId, finishedAt: null, requestedBy: owner.userId } });
    expect((await owner.call('GET', `/contacts/${contactId}`)).body).toMatchObject({
      name: null,
      email: expect.stringMatching(/^erased-\w+@erased\.invalid$/),
      erasedAt: expect.any(String),
    });
    const reader = await readEvents(house, owner);
    await reader.until(() => reader.lastEventId() !== '');
    await house.drain();
    // Open pages read everything again.
    await reader.until((events) => events.some(({ event }) => event === 'reset'));
    reader.close();
    const { erasure } = await preview(contactId);
    expect(erasure).toMatchObject({ finishedAt: expect.any(String), ticketsDeleted: 1, ticketsKept: 1 });

    // Before the sweep only bytes of files remain, which no row names.
    expect((await placesWith(person)).flat().filter((place) => !place.includes('/'))).toEqual([]);
    for (const text of [email, name, word]) {
      expect((await owner.call('GET', `/tickets?search=${encodeURIComponent(text)}&archived=any`)).body).toEqual([]);
      expect((await owner.call('GET', `/contacts?search=${encodeURIComponent(text)}`)).body).toEqual([]);
    }
    expect((await owner.call('GET', `/tickets/${alone.id}`)).status).toBe(404);
    const kept = (await owner.call('GET', `/tickets/${shared.id}`)).body;
    expect(kept.messages.map(({ body }: any) => body)).toEqual(['', 'I agree.', '(erased) seems angry']);
    expect(kept.messages[0].redacted).toEqual({ at: expect.any(String), by: null });
    expect(kept).toMatchObject({ subject: '(erased)', messageCount: 3, attachmentCount: 0 });
    const other = (await owner.call('GET', `/tickets/${mentioning.id}`)).body;
    expect(other.messages[0].body).toBe('Ask (erased) about it.');
    expect(other).toMatchObject({ subject: 'Of Eve', requester: { email: 'eve@example.net', name: 'Eve' } });

    await sweepFiles();
    expect((await placesWith(person)).flat()).toEqual([]);
    // The audit log tells that it happened, and is closed again.
    await expect(house.app.db.pool.query(`update audit_log set data = '{}'`)).rejects.toThrow(/permission denied/);
  });

  test('who writes again is somebody new', async () => {
    const person = generated();
    const { contactId } = await plant(person);
    await erase(contactId, person.email);
    await house.drain();
    await ingest(house, owner, [mailOf({ headers: { From: `${person.name} <${person.email}>`, Subject: 'Hello' } })]);
    const anew = await contactOf(person.email);
    expect(anew.id).not.toBe(contactId);
    expect((await owner.call('GET', `/contacts/${anew.id}`)).body.tickets).toMatchObject([{ subject: 'Hello' }]);
  });

  test('mails that come again, as from a mailbox that is read anew, add nothing', async () => {
    const person = generated();
    const { contactId } = await plant(person);
    await erase(contactId, person.email);
    await house.drain();
    await ingest(house, owner, [fileMail(person, { Subject: `Shared ${person.word}`, Cc: 'Carl <carl@example.org>' })]);
    expect((await placesWith(person)).flat().filter((place) => !place.includes('/'))).toEqual([]);
  });
});

test('an erasure that is stopped after any step is completed afterwards', async () => {
  for (let steps = 0; ; steps++) {
    const person = generated();
    const { contactId } = await plant(person);
    const { id } = (await erase(contactId, person.email)).body;
    const key = { workspaceId: owner.workspaceId, id };
    const { db, config } = house.app;
    let left = steps;
    // A step is a transaction: a kill takes back the step under way, and keeps the steps before.
    const dying: Pick<Db, 'tx'> = {
      tx: (work) =>
        db.tx(async (tx) => {
          const result = await work(tx);
          if (left-- === 0) throw new Error('killed');
          return result;
        }),
    };
    const isKilled = await erasePerson({ db: dying, authSecret: config.authSecret }, key).then(
      () => false,
      () => true,
    );
    await house.drain();
    expect((await placesWith(person)).flat().filter((place) => !place.includes('/'))).toEqual([]);
    expect((await preview(contactId)).erasure.finishedAt).not.toBeNull();
    if (!isKilled) {
      expect(steps).toBeGreaterThan(4);
      return;
    }
  }
});

describe('the request', () => {
  test('needs the address typed again, the own password, and an owner', async () => {
    const person = generated();
    const { contactId } = await plant(person);
    expect((await erase(contactId, 'carl@example.org')).status).toBe(400);
    expect((await erase(contactId, person.email, 'wrong password here')).status).toBe(401);
    expect((await erase(newId(), person.email)).body.key).toBe('contact.not_found');
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await erase(contactId, person.email, password, admin)).status).toBe(403);
    expect((await contactOf(person.email)).id).toBe(contactId);
    expect((await erase(contactId, person.email)).status).toBe(202);
    expect((await erase(contactId, person.email)).body.key).toBe('contact.erased');
  });

  test('refuses a member', async () => {
    const member = await makeMember(house, owner.workspaceId, 'agent');
    const { email } = await house.app.db.one<{ email: string }>(
      sql`select email from users where id = ${member.userId}`,
    );
    await post('/tickets', { subject: 's', body: 'b', requester: { email } });
    expect((await erase((await contactOf(email)).id, email)).body.key).toBe('contact.own_address');
  });
});

test('a contact merged from several goes with all addresses', async () => {
  const [one, two] = [generated(), generated()];
  for (const { email, name, word } of [one, two])
    await post('/tickets', { subject: word, body: word, requester: { email, name } });
  const [from, into] = [await contactOf(one.email), await contactOf(two.email)];
  await post(`/contacts/${from.id}/merge`, { targetContactId: into.id });
  expect((await preview(into.id)).emails.sort()).toEqual([one.email, two.email].sort());
  expect((await erase(from.id, one.email)).status).toBe(202);
  await house.drain();
  expect((await placesWith(one)).flat().filter((place) => !place.includes('/'))).toEqual([]);
  expect((await placesWith(two)).flat().filter((place) => !place.includes('/'))).toEqual([]);
  const left = await listUnfinished(house.app.db, {
    now: house.clock.now(),
    within: () => sql``,
    except: () => sql``,
    rowsMax: 10,
  });
  expect(left).toEqual([]);
});
