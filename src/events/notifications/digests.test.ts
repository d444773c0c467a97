import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { mailsTo } from '../../../test/harness/links.ts';
import { call, inventedId, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { type MessageId, newId, type TicketId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { record } from '../activity/record.ts';
import { mailDigests } from './mail-digests.ts';

const house = useHouse({ PUBLIC_URL: 'https://desk.example' });
const preferences = '/v1/me/notification-preferences';
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house, 'Acme');
});

const makeReader = async (digest: string): Promise<Person> => {
  const reader = await makeMember(house, owner.workspaceId, 'agent');
  expect((await reader.call('PATCH', preferences, { digest })).status).toBe(200);
  return reader;
};
const assign = async ({ userId }: Pick<Person, 'userId'>, subject = 'Help'): Promise<string> =>
  (await owner.call('POST', '/tickets', { subject, body: 'b', assigneeId: userId })).body.id;
/** Advances time for one user only: otherwise all tokens would expire, and other users would get mails. */
const pass = ({ userId }: Person, milliseconds: number) =>
  house.app.db.tx(async (tx) => {
    const span = `${milliseconds} milliseconds`;
    await tx.run(
      sql`update notifications set created_at = ${earlier(sql`created_at`, span)} where user_id = ${userId}`,
    );
    await tx.run(
      sql`update notification_digests set mailed_at = ${earlier(sql`mailed_at`, span)} where user_id = ${userId}`,
    );
  });
const readAll = (reader: Person) => reader.call('POST', '/notifications/read-all');
/** Runs the job after this time, and returns all mails that the reader has got. */
const mailsAfter = async (reader: Person, milliseconds: number) => {
  await pass(reader, milliseconds);
  await mailDigests(house.app);
  return mailsTo(house, reader.email);
};
const headerOf = (mail: Awaited<ReturnType<typeof mailsTo>>[number] | undefined, header: string) =>
  mail?.headers.find(({ name }) => name === header)?.value;

describe('preferences', () => {
  const both = { inApp: true, email: true };

  test('default to mail at once of what is theirs, and change only in the given fields', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'viewer');
    const inAppOnly = { inApp: true, email: false };
    const off = { inApp: false, email: false };
    const ofMailboxes = { ...off, mailboxIds: null };
    const gathered = { new_ticket: ofMailboxes, unassigned_reply: ofMailboxes };
    const ofWorkspace = { mailbox: both, team: both, rule: both, rule_paused: both };
    const others = { team_assignment: off, colleague: off, ...gathered, ...ofWorkspace };
    const initial = { digest: 'at_once', types: { mention: both, assignment: both, reply: both, ...others } };
    expect((await reader.call('GET', preferences)).body).toEqual(initial);
    expect((await reader.call('PATCH', preferences, {})).body).toEqual(initial);
    const [, changed] = await Promise.all([
      reader.call('PATCH', preferences, { digest: 'hourly' }),
      reader.call('PATCH', preferences, {
        types: { reply: { email: false }, assignment: { email: false }, mention: {} },
      }),
    ]);
    expect(changed?.body.types).toEqual({ mention: both, assignment: inAppOnly, reply: inAppOnly, ...others });
    // Preferences stored before the type existed.
    await house.app.db.tx((tx) =>
      tx.run(sql`
        update notification_preferences set types = types - '{mailbox,new_ticket}'::text[]
        where user_id = ${reader.userId}`),
    );
    expect((await reader.call('GET', preferences)).body).toEqual({ ...changed?.body, digest: 'hourly' });
    expect((await reader.call('PATCH', preferences, { digest: 'weekly' })).status).toBe(400);
    expect((await reader.call('PATCH', preferences, { types: { mention: { inApp: 1 } } })).status).toBe(400);
  });

  test('an unwanted notification is not created, and its mention does not count as ignored', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'agent');
    await reader.call('PATCH', preferences, { types: { mention: { inApp: false } } });
    const ticketId = await assign(reader);
    const note = { body: `@[x](user:${reader.userId})`, isInternal: true };
    const mentioning = await owner.call('POST', `/tickets/${ticketId}/messages`, note);
    expect(mentioning.body).not.toHaveProperty('ignoredMentions');
    expect((await reader.call('GET', '/notifications')).body.items).toMatchObject([{ type: 'assignment' }]);
    expect((await owner.call('GET', `/tickets/${ticketId}/followers`)).body).toMatchObject([{ userId: reader.userId }]);
  });
});

describe('a digest', () => {
  test('tells who has chosen nothing of assignments and answers, and its link ends that', async () => {
    const reader = await makeMember(house, owner.workspaceId, 'agent');
    const ticketId = inventedId<TicketId>(await assign(reader));
    const { workspaceId } = owner;
    const data = { direction: 'inbound', messageId: newId<MessageId>() } as const;
    await house.app.db.tx((tx) =>
      record(tx, { workspaceId, userId: null, isCustomer: true }, { ticketId, type: 'message.added', data }),
    );
    expect((await reader.call('GET', '/notifications')).body.items).toHaveLength(2);
    const [mail, ...others] = await mailsAfter(reader, minuteMs);
    expect([mail?.subject, others]).toEqual(['2 unread notifications in Acme', []]);
    const link = new URL(headerOf(mail, 'list-unsubscribe')?.slice(1, -1) ?? '');
    await fetch(`${house.url}${link.pathname}${link.search}`, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    });
    await assign(reader);
    expect(await mailsAfter(reader, dayMs)).toHaveLength(1);
  });

  test('reports unread notifications once, after time to see them', async () => {
    const reader = await makeReader('at_once');
    const ticketId = await assign(reader, 'The printer\nhttps://evil.example is on fire');
    const { ticketNumber } = (await owner.call('GET', `/tickets/${ticketId}`)).body;
    expect(await mailsAfter(reader, 0)).toEqual([]);
    const [mail, ...others] = await mailsAfter(reader, minuteMs);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('One unread notification in Acme');
    expect(mail?.text).toContain(`\n- You were assigned #${ticketNumber} The printer`);
    expect(mail?.text).toContain('\nhttps://desk.example\n');
    expect(mail?.text).not.toMatch(/^https:\/\/evil/m);
    expect(headerOf(mail, 'auto-submitted')).toBe('auto-generated');
    expect(await mailsAfter(reader, minuteMs)).toHaveLength(1);
    await assign(reader);
    expect(await mailsAfter(reader, minuteMs)).toHaveLength(2);
  });

  test.each([
    ['hourly', hourMs],
    ['daily', dayMs],
  ])('comes %s, however many notifications there are', async (digest, paceMs) => {
    const reader = await makeReader(digest);
    await assign(reader);
    expect(await mailsAfter(reader, minuteMs)).toHaveLength(1);
    for (let n = 0; n < 2; n++) await assign(reader);
    expect(await mailsAfter(reader, paceMs - 10 * minuteMs)).toHaveLength(1);
    const [, second] = await mailsAfter(reader, 10 * minuteMs);
    expect(second?.subject).toBe('2 unread notifications in Acme');
  });

  test('lists fifty titles, and the number of further ones', async () => {
    const reader = await makeReader('at_once');
    const ids = Array.from({ length: 53 }, () => '');
    const tickets = await Promise.all(ids.map(() => assign(owner)));
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into notifications (workspace_id, id, user_id, type, reference_id, activity_id, title, created_at)
        select workspace_id, gen_random_uuid(), ${reader.userId}, 'mention', ticket_id, id, 'Mentioned', ${tx.now}
        from activity
        where workspace_id = ${owner.workspaceId} and ticket_id = any(${tickets}::uuid[]) and type = 'ticket.created'`),
    );
    const [mail] = await mailsAfter(reader, minuteMs);
    expect(mail?.subject).toBe('53 unread notifications in Acme');
    expect(mail?.text.match(/^- /gm)).toHaveLength(50);
    expect(mail?.text).toContain('And 3 more.');
  });

  test('is separate for each workspace', async () => {
    const reader = await makeReader('at_once');
    const other = await makeOwner(house, 'Elsewhere');
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into members (workspace_id, user_id, role, created_at)
        values (${other.workspaceId}, ${reader.userId}, 'agent', ${tx.now})`),
    );
    for (const person of [owner, other])
      await person.call('POST', '/tickets', { subject: 's', body: 'b', assigneeId: reader.userId });
    const mails = await mailsAfter(reader, minuteMs);
    expect(mails.map(({ subject }) => subject?.split(' in ')[1]).toSorted()).toEqual(['Acme', 'Elsewhere']);
  });

  test('omits what is read, unwanted or old', async () => {
    const [read, unwanted, late] = [await makeReader('at_once'), await makeReader('at_once'), await makeReader('off')];
    await unwanted.call('PATCH', preferences, { types: { assignment: { email: false } } });
    for (const reader of [read, unwanted, late]) await assign(reader);
    await readAll(read);
    for (const reader of [read, unwanted, late]) expect(await mailsAfter(reader, minuteMs)).toEqual([]);
    await pass(late, 8 * dayMs);
    await late.call('PATCH', preferences, { digest: 'daily' });
    expect(await mailsAfter(late, minuteMs)).toEqual([]);
  });

  test.each<[string, (reader: Person) => Promise<unknown>]>([
    ['has read all since', readAll],
    ['wants no more since', (reader) => reader.call('PATCH', preferences, { digest: 'off' })],
    ['has left since', (reader) => reader.call('DELETE', `/members/${reader.userId}`)],
    [
      'has an address that nobody verified',
      ({ userId }) =>
        house.app.db.tx((tx) => tx.run(sql`update users set email_verified_at = null where id = ${userId}`)),
    ],
  ])('is not sent to who %s', async (_name, change) => {
    const reader = await makeReader('at_once');
    await assign(reader);
    await pass(reader, minuteMs);
    await mailDigests(house.app);
    await change(reader);
    expect(await mailsTo(house, reader.email)).toEqual([]);
    expect(await mailsAfter(reader, dayMs)).toEqual([]);
  });

  test('is not delayed by a clock that ran fast', async () => {
    const reader = await makeReader('daily');
    await assign(reader);
    expect(await mailsAfter(reader, minuteMs)).toHaveLength(1);
    await assign(reader);
    await pass(reader, -300 * dayMs);
    await house.app.db.tx((tx) =>
      tx.run(sql`update notifications set created_at = ${tx.now} where user_id = ${reader.userId}`),
    );
    expect(await mailsAfter(reader, minuteMs)).toHaveLength(2);
  });

  test('is the same mail when sent again, as after a crash right after delivery', async () => {
    const reader = await makeReader('at_once');
    await assign(reader);
    await mailsAfter(reader, minuteMs);
    const { userId, workspaceId } = reader;
    const { mailedAt } = await house.app.db.one<{ mailedAt: string }>(sql`
      select mailed_at as "mailedAt" from notification_digests where user_id = ${userId}`);
    const digest = { kind: 'notification-digest', workspaceId, userId, mailedAt } as const;
    await house.app.db.tx((tx) => enqueue(tx, 'system-mail.send', digest));
    const [first, again] = await mailsTo(house, reader.email);
    expect(again?.messageId).toBe(first?.messageId);
  });

  test('is enqueued once by two concurrent runs', async () => {
    const reader = await makeReader('at_once');
    await assign(reader);
    await pass(reader, minuteMs);
    await Promise.all([mailDigests(house.app), mailDigests(house.app)]);
    expect(await mailsTo(house, reader.email)).toHaveLength(1);
  });
});

describe('the unsubscribe link', () => {
  const pathOf = async (reader: Person): Promise<string> => {
    await assign(reader);
    const [mail] = await mailsAfter(reader, minuteMs);
    const url = /^<https:\/\/desk\.example(\S+)>$/.exec(headerOf(mail, 'list-unsubscribe') ?? '')?.[1];
    expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(mail?.text).toContain(`\nhttps://desk.example${url}\n`);
    return url ?? '';
  };
  const digestOf = async (reader: Person) => (await reader.call('GET', preferences)).body.digest;
  const post = async (path: string, body?: string | FormData | URLSearchParams) =>
    fetch(`${house.url}${path}`, { method: 'POST', ...(body !== undefined && { body }) });
  const oneClick = { 'List-Unsubscribe': 'One-Click' };

  test('shows a page that changes nothing, with a button that stops the mails', async () => {
    const reader = await makeReader('at_once');
    const path = await pathOf(reader);
    const page = await call(house, 'GET', path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('<form method="post"><button name="List-Unsubscribe" value="One-Click">');
    expect(await digestOf(reader)).toBe('at_once');
    expect((await post(path, new URLSearchParams(oneClick))).status).toBe(200);
    expect(await digestOf(reader)).toBe('off');
    expect((await post(path, new URLSearchParams(oneClick))).status).toBe(200);
  });

  test('accepts only the form that mail programs send', async () => {
    const reader = await makeReader('hourly');
    const path = await pathOf(reader);
    const form = new FormData();
    expect((await post(path, form)).status).toBe(400);
    expect((await post(path)).status).toBe(400);
    expect((await post(path, 'List-Unsubscribe=One-Click')).status).toBe(415);
    expect((await post(path, new URLSearchParams({ ...oneClick, x: 'x'.repeat(20_000) }))).status).toBe(413);
    expect(await digestOf(reader)).toBe('hourly');
    form.append('List-Unsubscribe', 'One-Click');
    expect((await post(path, form)).status).toBe(200);
    expect(await digestOf(reader)).toBe('off');
  });

  test('stops the mails of one user and permits nothing else', async () => {
    const [reader, other] = [await makeReader('daily'), await makeReader('daily')];
    const path = await pathOf(reader);
    const forged = [
      path.replace(reader.userId, other.userId),
      path.replace(reader.userId, owner.userId),
      `${path}x`,
      path.slice(0, -2),
      path.replace(/\..*$/, '.'),
      path.replace(/=.*$/, '=x'),
      path.replace(/\?.*$/, ''),
    ];
    for (const wrong of forged) {
      expect([wrong, (await call(house, 'GET', wrong)).body.key]).toEqual([wrong, 'request.invalid']);
      expect((await post(wrong, new URLSearchParams(oneClick))).status).toBe(400);
    }
    expect([await digestOf(reader), await digestOf(other)]).toEqual(['daily', 'daily']);
    const token = path.split('token=')[1];
    const me = await call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });
    expect(me.status).toBe(401);
  });
});
