import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import { auditAccount } from '../audit/audit.ts';
import { newSecretToken } from './secret-token.ts';

/** The origin of a call. */
export type Client = { ip: string; userAgent: string | null; language: Language | null };
export type StartSession = {
  userId: UserId;
  workspaceId: WorkspaceId | null;
  client: Client;
  /** Whether the sign-in included a code of the second factor. */
  withCode?: boolean;
};
export type StartedSession = { sessionId: string; refreshToken: string };

export const refreshTokenDays = 30;
const userAgentCodePointsMax = 500;

/** Opens a session and stores its workspace and language as the user's last used. */
export async function startSession(tx: Tx, input: StartSession): Promise<StartedSession> {
  const { userId, workspaceId, client, withCode = false } = input;
  const sessionId = tx.newId();
  const refreshToken = newSecretToken();
  const userAgent = client.userAgent === null ? null : firstCodePoints(client.userAgent, userAgentCodePointsMax);
  const language = sql`coalesce(${client.language}, language)`;
  await together([
    tx.run(sql`
      insert into sessions (id, user_id, workspace_id, user_agent, ip, created_at, last_used_at, second_factor_at)
      values (${sessionId}, ${userId}, ${workspaceId}, ${userAgent}, ${client.ip}, ${tx.now}, ${tx.now},
        ${withCode ? tx.now : null})`),
    tx.run(sql`
      insert into refresh_tokens (token_hash, session_id, created_at, expires_at)
      values (${refreshToken.tokenHash}, ${sessionId}, ${tx.now},
        ${tx.now}::timestamptz + make_interval(days => ${refreshTokenDays}))`),
    tx.run(sql`
      update users
      set last_workspace_id = ${workspaceId}, language = ${language}
      where id = ${userId}
        and (last_workspace_id is distinct from ${workspaceId} or language is distinct from ${language})`),
    auditAccount(tx, { type: 'session.started', userId, data: { sessionId, withCode } }),
  ]);
  return { sessionId, refreshToken: refreshToken.token };
}
