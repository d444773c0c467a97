import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { call, makeMember, makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();
const whoAmI = (token: string) => call(house, 'GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });

describe('access tokens', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('tampered, unsigned and foreign ones are refused', async () => {
    const { token, userId, sessionId } = await makeOwner(house);
    const [head, claims, signature = ''] = token.split('.');
    const forged = part({ iss: 'kontor', sub: userId, sid: sessionId, exp: 9_999_999_999 });
    const bad = [
      `${part({ alg: 'none' })}.${forged}.`,
      `${part({ alg: 'none' })}.${claims}.${signature}`,
      `${part({ alg: 'RS256' })}.${claims}.${signature}`,
      `${head}.${forged}.${signature}`,
      `${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      `${head}.${claims}`,
      'nonsense',
      '..',
      'x'.repeat(10_000),
      `${token.slice(0, -9)}${' '.repeat(10_000)}${token.slice(-9)}`,
      `${' '.repeat(10_000)}${token}`,
    ];
    for (const tried of bad) {
      const answer = await whoAmI(tried);
      expect([tried.slice(0, 80), answer.status, answer.body.key]).toEqual([
        tried.slice(0, 80),
        401,
        'auth.token_invalid',
      ]);
    }
    expect((await whoAmI(token)).status).toBe(200);
  });

  test('one expires after an hour', async () => {
    const { token } = await makeOwner(house);
    house.clock.advance(3_600_000 + 1_000);
    const answer = await whoAmI(token);
    expect([answer.status, answer.body.key]).toEqual([401, 'auth.token_expired']);
  });

  test('a request without a token is refused', async () => {
    const answer = await call(house, 'GET', '/v1/me');
    expect([answer.status, answer.body.key]).toEqual([401, 'auth.token_missing']);
  });

  test('a signed-in user sees their account and workspaces', async () => {
    const owner = await makeOwner(house, 'Ours');
    const agent = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
    const { status, body } = await whoAmI(agent.token);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        id: agent.userId,
        email: agent.email,
        name: 'Ben',
        emailVerifiedAt: expect.any(String),
        createdAt: expect.any(String),
      },
      workspaces: [{ id: owner.workspaceId, name: 'Ours', role: 'agent' }],
    });
  });
});

describe('the order of answers', () => {
  const other = '0190a000-0000-7000-8000-000000000001';
  const ask = async (token: string, workspaceId: string, header: Record<string, string>) => {
    const headers = { authorization: `Bearer ${token}`, ...header };
    const { status, body } = await call(house, 'GET', `/v1/workspaces/${workspaceId}/tickets`, undefined, headers);
    return [status, body.key];
  };

  test('an ended session is 401 whatever the workspace header says', async () => {
    const { token, workspaceId, sessionId } = await makeOwner(house);
    expect(await ask(token, workspaceId, {})).toEqual([400, 'workspace.header_missing']);
    expect(await ask(token, workspaceId, { 'x-workspace-id': other })).toEqual([400, 'workspace.header_mismatch']);
    expect(await ask(token, 'no-uuid', { 'x-workspace-id': 'no-uuid' })).toEqual([400, 'request.invalid']);
    await house.app.db.tx((tx) => tx.run(sql`update sessions set ended_at = ${tx.now} where id = ${sessionId}`));
    for (const header of [{}, { 'x-workspace-id': other }, { 'x-workspace-id': workspaceId }])
      expect(await ask(token, workspaceId, header)).toEqual([401, 'auth.token_invalid']);
    expect(await ask(token, 'no-uuid', { 'x-workspace-id': 'no-uuid' })).toEqual([401, 'auth.token_invalid']);
  });

  test('a header fault comes before membership', async () => {
    const { token } = await makeOwner(house);
    expect(await ask(token, other, {})).toEqual([400, 'workspace.header_missing']);
    expect(await ask(token, other, { 'x-workspace-id': other })).toEqual([403, 'workspace.forbidden']);
  });

  test('a person who joins gets in at once, even right after a refusal', async () => {
    const { workspaceId } = await makeOwner(house);
    const { token, userId } = await makeOwner(house);
    const header = { 'x-workspace-id': workspaceId };
    expect(await ask(token, workspaceId, header)).toEqual([403, 'workspace.forbidden']);
    await house.app.db.tx((tx) =>
      tx.run(sql`
        insert into members (workspace_id, user_id, role, created_at)
        values (${workspaceId}, ${userId}, 'agent', ${tx.now})`),
    );
    expect(await ask(token, workspaceId, header)).toEqual([200, undefined]);
  });
});
