import type { Field } from './copy.ts';
import { everybody, type Mailbox, mailboxesPerWorkspace, mailboxOf, workspaceCount, workspaceId } from './world.ts';

export const accountsAt = new Date(Date.UTC(2024, 0, 1)).toISOString();

export function* workspaceRows(): Generator<Field[]> {
  for (let workspace = 0; workspace < workspaceCount; workspace++)
    yield [workspaceId(workspace), `Workspace ${workspace}`, accountsAt];
}

export function* userRows(): Generator<Field[]> {
  for (const { userId, email, name } of everybody()) yield [userId, email, email, name, accountsAt, accountsAt];
}

export function* memberRows(): Generator<Field[]> {
  for (const { workspace, member, userId } of everybody())
    yield [workspaceId(workspace), userId, member === 0 ? 'owner' : 'agent', accountsAt];
}

export function* sessionRows(): Generator<Field[]> {
  for (const { userId, sessionId } of everybody()) yield [sessionId, userId, accountsAt, accountsAt];
}

export function* inboundAddressRows(): Generator<Field[]> {
  for (let workspace = 0; workspace < workspaceCount; workspace++)
    yield [`inbox-${workspace}`, workspaceId(workspace), `\\x${'00'.repeat(32)}`];
}

function* mailboxes(): Generator<Mailbox & { inWorkspace: string }> {
  for (let workspace = 0; workspace < workspaceCount; workspace++)
    for (let mailbox = 0; mailbox < mailboxesPerWorkspace; mailbox++)
      yield { ...mailboxOf(workspace, mailbox), inWorkspace: workspaceId(workspace) };
}

/** No provider answers for these mailboxes, so workers leave them alone until then. */
const restsUntil = new Date(Date.UTC(2100, 0, 1)).toISOString();

export function* mailboxRows(): Generator<Field[]> {
  for (const { inWorkspace, id, address } of mailboxes()) {
    const times = Array.from({ length: 4 }, () => accountsAt);
    yield [inWorkspace, id, 'mail-a', address, address, 'active', ...times, restsUntil];
  }
}

export function* mailboxSyncRows(): Generator<Field[]> {
  for (const { inWorkspace, id } of mailboxes()) yield [inWorkspace, id, restsUntil];
}

export function* mailboxRouteRows(): Generator<Field[]> {
  for (const { inWorkspace, id, subscriptionIds } of mailboxes())
    for (const subscriptionId of Object.values(subscriptionIds)) yield ['mail-a', subscriptionId, inWorkspace, id];
}
