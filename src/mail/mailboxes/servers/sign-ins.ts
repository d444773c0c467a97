/** Stops trying passwords before a provider locks the account. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Sweep } from '../../../ground/database/sweep.ts';
import type { Clock } from '../../../ground/lib/clock.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';
import type { ServerLogin } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';

type SignInParts = { db: Db; clock: Clock };
type Account = { workspaceId: WorkspaceId } & Pick<ServerLogin, 'imap' | 'username'>;

const refusedMax = 3;
const pauseSeconds = 3_600;

/** Tries to sign in. Throws 429 after three refused passwords in a row, for an hour. */
export async function countSignIn<Result>(
  parts: SignInParts,
  account: Account,
  tried: () => Promise<Result>,
): Promise<Result> {
  const key = keyOf(account);
  await refusePaused(parts, account.workspaceId, key);
  try {
    const result = await tried();
    await forget(parts, account.workspaceId, key);
    return result;
  } catch (error) {
    if (faultOf(error)?.kind === 'unauthorized') await noteRefusal(parts, account.workspaceId, key);
    throw error;
  }
}

/** Refusals from before count no more. */
const endOf = (now: Date) => new Date(now.getTime() - pauseSeconds * 1000);

function faultOf(error: unknown): ProviderFault | undefined {
  const fault = error instanceof AppError ? error.cause : error;
  return fault instanceof ProviderFault ? fault : undefined;
}

function keyOf({ imap: { host }, username }: Account): string {
  return createHash('sha256').update(`${host} ${username}`.toLowerCase()).digest('base64url');
}

async function refusePaused({ db, clock }: SignInParts, workspaceId: WorkspaceId, key: string): Promise<void> {
  const row = await db.maybe<{ refused: number; refusedAt: string }>(sql`
    select refused, refused_at as "refusedAt" from mailbox_sign_ins
    where workspace_id = ${workspaceId} and account_key = ${key}`);
  if (row === undefined || row.refused < refusedMax) return;
  const seconds = Math.ceil(pauseSeconds - (clock.now().getTime() - Date.parse(row.refusedAt)) / 1000);
  if (seconds > 0) throw new AppError('mailbox.sign_in_paused', {}, { headers: { 'retry-after': String(seconds) } });
}

async function noteRefusal({ db }: SignInParts, workspaceId: WorkspaceId, key: string): Promise<void> {
  await db.tx((tx) =>
    tx.run(sql`
      insert into mailbox_sign_ins as s (workspace_id, account_key, refused, refused_at)
      values (${workspaceId}, ${key}, 1, ${tx.now})
      on conflict (workspace_id, account_key) do update
      set refused_at = excluded.refused_at, refused = case
        when s.refused_at < ${endOf(tx.now)} then 1
        else s.refused + 1
      end`),
  );
}

/** Forgets refusals that count no more. */
export const sweepSignIns: Sweep = (tx, rowsMax) =>
  tx.run(sql`
    delete from mailbox_sign_ins
    where (workspace_id, account_key) in (
      select workspace_id, account_key from mailbox_sign_ins
      where refused_at < ${endOf(tx.now)}
      limit ${rowsMax})`);

async function forget({ db }: SignInParts, workspaceId: WorkspaceId, key: string): Promise<void> {
  await db.tx((tx) =>
    tx.run(sql`delete from mailbox_sign_ins where workspace_id = ${workspaceId} and account_key = ${key}`),
  );
}
