import { beforeAll, describe, expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../database/sql.ts';
import { newId } from '../lib/ids.ts';

const house = useHouse();
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent');
});

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': newId() });

  test('a repeat gets the stored answer, and the work is done once', async () => {
    const headers = key();
    const first = await owner.call('POST', '/tickets', { subject: 'once', body: 'b' }, headers);
    const second = await owner.call('POST', '/tickets', { body: 'b', subject: 'once' }, headers);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('etag')).toBe('"1"');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
  });

  test('the same key with another body is refused; another actor has separate keys', async () => {
    const headers = key();
    await owner.call('POST', '/tickets', { subject: 'one', body: 'b' }, headers);
    const other = await owner.call('POST', '/tickets', { subject: 'two', body: 'b' }, headers);
    expect(other.body.key).toBe('idempotency.key_reused');
    expect((await agent.call('POST', '/tickets', { subject: 'two', body: 'b' }, headers)).status).toBe(201);
  });

  test('differences that the border ignores or folds do not make it another request', async () => {
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'folded', body: 'b' });
    const headers = key();
    const path = `/tickets/${ticket.id}/archive`;
    expect((await owner.call('POST', path, undefined, headers)).status).toBe(200);
    for (const [again, body] of [
      [path, {}],
      [path, { ignored: 1 }],
      [`${path}?unknown=1`, undefined],
      [path.replace(ticket.id, ticket.id.toUpperCase()), undefined],
    ] as const) {
      const answer = await owner.call('POST', again, body, headers);
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    }
  });

  test('a 400 is not stored, a 409 is', async () => {
    const headers = key();
    expect(
      (await owner.call('POST', '/tickets', { subject: 'a', body: 'b', assigneeId: newId() }, headers)).status,
    ).toBe(400);
    expect((await owner.call('POST', '/tickets', { subject: 'a', body: 'b' }, headers)).status).toBe(201);
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'kept', body: 'b' });
    const stale = { ...key(), 'if-match': '"7"' };
    expect((await owner.call('POST', `/tickets/${ticket.id}/archive`, undefined, stale)).status).toBe(412);
    const again = await owner.call('POST', `/tickets/${ticket.id}/archive`, undefined, stale);
    expect(again.status).toBe(412);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('a refusal is stored without what its work had written before', async () => {
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'seen', body: 'b' });
    const path = `/tickets/${ticket.id}/messages`;
    const first = await owner.call('POST', path, { body: 'b', sendEmail: true, toAddresses: ['one@example.org'] });
    await agent.call('POST', path, { body: 'b', sendEmail: true, toAddresses: ['one@example.org'] });
    const late = { body: 'b', sendEmail: true, toAddresses: ['late@example.org'], lastSeenMessageId: first.body.id };
    const headers = key();
    const refused = await owner.call('POST', path, late, headers);
    expect([refused.status, refused.body.key]).toEqual([409, 'ticket.newer_message']);
    const again = await owner.call('POST', path, late, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([409, 'true']);
    expect(again.body).toEqual(refused.body);
    const contacts = await house.app.db.rows(sql`select from contacts where email_key = 'late@example.org'`);
    expect(contacts).toEqual([]);
  });

  test('ten concurrent requests with one key are refused alike, and a repeat gets the refusal', async () => {
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'stale', body: 'b' });
    const headers = { ...key(), 'if-match': '"7"' };
    const archive = () => owner.call('POST', `/tickets/${ticket.id}/archive`, undefined, headers);
    const answers = await Promise.all(Array.from({ length: 10 }, archive));
    for (const { status, body } of answers) if (status !== 412) expect(body.key).toBe('idempotency.in_progress');
    const again = await archive();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([412, 'true']);
  });

  test('ten concurrent requests with one key make one ticket', async () => {
    const headers = key();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.call('POST', '/tickets', { subject: 'race', body: 'b' }, headers)),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of answers) if (status !== 201) expect(body.key).toBe('idempotency.in_progress');
  });

  test('a day later the key is new', async () => {
    const headers = key();
    const first = await owner.call('POST', '/tickets', { subject: 'day', body: 'b' }, headers);
    await house.app.db.tx((tx) =>
      tx.run(sql`update idempotent_answers set created_at = ${earlier(sql`created_at`, '25 hours')}`),
    );
    const second = await owner.call('POST', '/tickets', { subject: 'day', body: 'b' }, headers);
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('a key that is too long is refused', async () => {
    expect(
      (await owner.call('POST', '/tickets', { subject: 'a', body: 'b' }, { 'idempotency-key': 'x'.repeat(256) }))
        .status,
    ).toBe(400);
  });
});
