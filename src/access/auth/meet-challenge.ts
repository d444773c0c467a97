import type { App } from '../../app.ts';
import type { Tx } from '../../ground/database/db.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { type Challenge, findChallenge, spendChallenge } from '../accounts/challenge.ts';
import { proveCode } from '../accounts/prove-code.ts';
import type { Client } from '../accounts/start-session.ts';
import { acceptInvite } from '../workspaces/accept-invite.ts';
import { beginSession } from './open-session.ts';
import type { Session } from './schema.ts';
import { tellOfMember } from './tell-of-member.ts';

export type MeetChallenge = { challenge: string; code: string; client: Client };

/**
 * Opens the session that waits behind a challenge, given the right code. Accepts the challenge's invitation, if any.
 * Throws 401 `auth.token_invalid` when the challenge is expired, spent or unknown: the client must sign in again.
 * Throws 401 `auth.invalid_credentials` for a wrong code, and 429 after too many.
 */
export async function meetChallenge(app: App, { challenge, code, client }: MeetChallenge): Promise<Session> {
  const met = await app.db.tx(async (tx) => {
    const waiting = await findChallenge(tx, challenge, tx.now);
    if (waiting === undefined) throw new AppError('auth.token_invalid');
    const proof = { userId: waiting.userId, code, ip: client.ip, factor: 'confirmed' } as const;
    const provenBy = await proveCode(tx, app.seal, proof);
    // Returns instead of throwing, so that the recorded failure commits.
    if (provenBy === undefined) return undefined;
    if (!(await spendChallenge(tx, challenge))) throw new AppError('auth.token_invalid');
    if (provenBy === 'recovery-code') {
      const { userId } = waiting;
      await enqueue(tx, 'system-mail.send', { kind: 'sign-in-changed', userId, change: 'recovery-code-used' });
    }
    return { waiting, session: await openSession(app, tx, waiting, client) };
  });
  if (met === undefined) throw new AppError('auth.invalid_credentials');
  const { waiting, session } = met;
  if (waiting.workspaceId !== null && waiting.inviteId !== null)
    tellOfMember(app, waiting.workspaceId, session.user.id);
  return session;
}

async function openSession(
  app: App,
  tx: Tx,
  { userId, workspaceId, inviteId }: Challenge,
  client: Client,
): Promise<Session> {
  if (workspaceId !== null && inviteId !== null) await acceptInvite(tx, { workspaceId, inviteId, userId });
  return beginSession(app, tx, { userId, workspaceId: workspaceId ?? undefined, client, withCode: true });
}
