import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
const path = '/v1/me/sessions';

/** Opens another session of the same user. */
async function signInAgain(person: Person, userAgent: string): Promise<{ sessionId: string; token: string }> {
  const sessionId = newId();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into sessions (id, user_id, user_agent, ip, created_at, last_used_at)
      values (${sessionId}, ${person.userId}, ${userAgent}, '192.0.2.7', ${tx.now}, ${tx.now})`),
  );
  return { sessionId, token: house.app.tokens.sign({ userId: person.userId, sessionId }) };
}

const whoAmI = (token: string) => call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });
const idsOf = (sessions: { id: string }[]) => sessions.map(({ id }) => id);

describe('sessions', () => {
  test('are listed newest first, with device, address, last use and the current one marked', async () => {
    const person = await makeOwner(house);
    const phone = await signInAgain(person, 'Phone');
    const { status, body } = await person.call('GET', path);
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: phone.sessionId,
        userAgent: 'Phone',
        ip: '192.0.2.7',
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        isCurrent: false,
      },
      expect.objectContaining({ id: person.sessionId, isCurrent: true }),
    ]);
  });

  test('show their last use to within minutes, even without a refresh', async () => {
    const person = await makeOwner(house);
    const usedAt = async () => {
      const { lastUsedAt } = await house.app.db.one<{ lastUsedAt: string }>(sql`
        select last_used_at as "lastUsedAt" from sessions where id = ${person.sessionId}`);
      return lastUsedAt;
    };
    const first = await usedAt();
    await person.call('GET', '/tickets');
    expect(await usedAt()).toBe(first);
    house.clock.advance(301_000);
    await Promise.all([person.call('GET', '/tickets'), person.call('GET', '/tickets')]);
    const second = await usedAt();
    expect(Date.parse(second) - Date.parse(first)).toBeGreaterThan(300_000);
    house.clock.advance(301_000);
    await person.call('GET', '/v1/me');
    expect(Date.parse(await usedAt())).toBeGreaterThan(Date.parse(second));
  });

  test('that ended, expired or belong to another user are not listed', async () => {
    const person = await makeOwner(house);
    await makeMember(house, person.workspaceId, 'admin');
    const ended = await signInAgain(person, 'Ended');
    const old = await signInAgain(person, 'Old');
    await house.app.db.tx(async (tx) => {
      await tx.run(sql`update sessions set ended_at = ${tx.now} where id = ${ended.sessionId}`);
      await tx.run(
        sql`update sessions set last_used_at = last_used_at - interval '31 days' where id = ${old.sessionId}`,
      );
    });
    expect(idsOf((await person.call('GET', path)).body)).toEqual([person.sessionId]);
  });

  test('come in pages', async () => {
    const person = await makeOwner(house);
    const others = [await signInAgain(person, 'A'), await signInAgain(person, 'B')].map(({ sessionId }) => sessionId);
    const first = await person.call('GET', `${path}?limit=2`);
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await person.call('GET', next);
    expect(idsOf([...first.body, ...second.body])).toEqual([...others.reverse(), person.sessionId]);
    expect(second.headers.get('link')).toBeNull();
    expect((await person.call('GET', `${path}?cursor=nonsense`)).status).toBe(400);
  });

  test('end at once, and only once', async () => {
    const person = await makeOwner(house);
    const phone = await signInAgain(person, 'Phone');
    expect((await whoAmI(phone.token)).status).toBe(200);
    expect((await person.call('DELETE', `${path}/${phone.sessionId}`)).status).toBe(204);
    expect((await whoAmI(phone.token)).status).toBe(401);
    const again = await person.call('DELETE', `${path}/${phone.sessionId}`);
    expect([again.status, again.body.key]).toEqual([404, 'session.not_found']);
  });

  test('of another user cannot be ended, whatever the role', async () => {
    const person = await makeOwner(house);
    const colleague = await makeMember(house, person.workspaceId, 'agent');
    const answer = await person.call('DELETE', `${path}/${colleague.sessionId}`);
    const unknown = await person.call('DELETE', `${path}/${newId()}`);
    expect([answer.status, answer.body]).toEqual([404, unknown.body]);
    expect((await whoAmI(colleague.token)).status).toBe(200);
    expect((await person.call('DELETE', `${path}/no-uuid`)).status).toBe(400);
  });

  test('other than the current one are ended together', async () => {
    const person = await makeOwner(house);
    const others = [await signInAgain(person, 'A'), await signInAgain(person, 'B')];
    const stranger = await makeOwner(house);
    expect((await person.call('DELETE', path)).status).toBe(204);
    for (const { token } of others) expect((await whoAmI(token)).status).toBe(401);
    expect((await whoAmI(person.token)).status).toBe(200);
    expect((await whoAmI(stranger.token)).status).toBe(200);
  });
});
