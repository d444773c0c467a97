import { hashOfToken, newSecretToken } from '../../src/access/accounts/secret-token.ts';
import { type Operation, prepared } from '../operation.ts';
import { personOf } from '../world.ts';

const begin = `
  insert into refresh_tokens (token_hash, session_id, created_at, expires_at)
  values ($1, $2, now(), now() + interval '30 days')`;

const statement = `
  with spent as (
    update refresh_tokens set spent_at = now()
    where token_hash = $1 and spent_at is null and expires_at > now()
    returning session_id
  ),
  issued as (
    insert into refresh_tokens (token_hash, session_id, parent_hash, created_at, expires_at)
    select $2, session_id, $1, now(), now() + interval '30 days'
    from spent
  ),
  used as (
    update sessions set last_used_at = now()
    where id = (select session_id from spent) and ended_at is null
    returning user_id
  )
  select u.id, u.email, u.name, w.id as workspace_id, w.name as workspace_name, m.role
  from used s
  join users u on u.id = s.user_id
  join members m on m.user_id = s.user_id and m.removed_at is null
  join workspaces w on w.id = m.workspace_id`;

type Answer = { refreshToken: string };

/** Each connection keeps its own session alive, with the token of the last answer. */
export const refreshSession: Operation = {
  name: 'refresh-session',
  method: 'POST',
  url: '/v1/auth/refresh',
  isWrite: true,
  goal: { ratioMin: 0.6 },
  follow: async ({ pool, connection }) => {
    const { token, tokenHash } = newSecretToken();
    await pool.query(begin, [tokenHash, personOf(connection, 0).sessionId]);
    return (answer) => {
      const refreshToken = answer === undefined ? token : (JSON.parse(answer) as Answer).refreshToken;
      return { params: {}, body: { refreshToken } };
    };
  },
  limit: async (pool, { body }) => {
    const spent = hashOfToken((body as Answer).refreshToken);
    const { token: refreshToken, tokenHash } = newSecretToken();
    const [user] = await prepared(pool, 'refresh-session', statement, [spent, tokenHash]);
    return { refreshToken, user };
  },
};
