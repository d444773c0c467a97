import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { AuditEvents } from '../../ground/catalog/audit.ts';
import type { WhenAnswered } from '../../ground/catalog/when-answered.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { jsonOf, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { audit } from '../audit/audit.ts';
import { getWorkspaceOf } from './queries.ts';
import { ownAddressesMax, type WorkspaceWithSettings } from './schema.ts';

export type UpdateWorkspace = {
  name?: string;
  requireSecondFactor?: boolean;
  ownAddresses?: string[];
  whenAnswered?: WhenAnswered;
  /**
   * Only a session with a second factor may require second factors, or callers would lock themselves out. Else throws
   * 403.
   */
  sessionId: string;
};

/** Changes the given fields. Unchanged values leave no entry in the audit log. */
export async function updateWorkspace(
  tx: Tx,
  actor: Actor,
  { sessionId, ...input }: UpdateWorkspace,
): Promise<WorkspaceWithSettings> {
  const [before, session] = await together([
    tx.one<Pick<WorkspaceWithSettings, 'name' | 'requireSecondFactor' | 'ownAddresses' | 'whenAnswered'>>(sql`
      select name, require_second_factor as "requireSecondFactor", own_addresses as "ownAddresses",
        when_answered as "whenAnswered"
      from workspaces
      where id = ${actor.workspaceId}
      for no key update`),
    tx.maybe<{ hasFactor: boolean }>(sql`
      select second_factor_at is not null as "hasFactor" from sessions where id = ${sessionId}`),
  ]);
  const after = {
    name: input.name ?? before.name,
    requireSecondFactor: input.requireSecondFactor ?? before.requireSecondFactor,
    ownAddresses: withoutCopies(input.ownAddresses ?? before.ownAddresses),
    whenAnswered: input.whenAnswered ?? before.whenAnswered,
  };
  const isDemanded = after.requireSecondFactor && !before.requireSecondFactor;
  if (isDemanded && !session?.hasFactor) throw new AppError('workspace.second_factor_required');
  const data: AuditEvents['workspace.changed'] = {
    ...(after.name !== before.name && { name: { from: before.name, to: after.name } }),
    ...(after.requireSecondFactor !== before.requireSecondFactor && {
      requireSecondFactor: { from: before.requireSecondFactor, to: after.requireSecondFactor },
    }),
    ...(after.ownAddresses.join() !== before.ownAddresses.join() && {
      ownAddresses: { from: before.ownAddresses, to: after.ownAddresses },
    }),
    ...(!isDeepStrictEqual(after.whenAnswered, before.whenAnswered) && {
      whenAnswered: { from: before.whenAnswered, to: after.whenAnswered },
    }),
  };
  if (Object.keys(data).length > 0) {
    tx.revokes();
    await together([
      tx.run(sql`
        update workspaces set name = ${after.name}, require_second_factor = ${after.requireSecondFactor},
          own_addresses = ${after.ownAddresses}::text[],
          when_answered = ${jsonOf(after.whenAnswered)}::jsonb
        where id = ${actor.workspaceId}`),
      audit(tx, actor, { type: 'workspace.changed', subjectId: actor.workspaceId, data }),
    ]);
  }
  return getWorkspaceOf(tx, actor);
}

/**
 * Adds the former address of a mailbox to the workspace's own addresses. It usually still reaches the mailbox, and
 * Gmail does not list it among the aliases. Members can take it off the list.
 */
export async function keepOwnAddress(tx: Tx, workspaceId: WorkspaceId, address: string): Promise<void> {
  tx.revokes();
  await tx.run(sql`
    update workspaces set own_addresses = array_append(own_addresses, ${address})
    where id = ${workspaceId} and ${address} <> all (own_addresses)
      and cardinality(own_addresses) < ${ownAddressesMax}`);
}

/** Each address once. */
function withoutCopies(addresses: readonly string[]): string[] {
  return [...new Map(addresses.map((address) => [caseKey(address), address])).values()];
}
