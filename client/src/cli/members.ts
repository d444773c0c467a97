import type { KontorClient } from '../index.ts';
import { UsageError } from './faults.ts';

const membersPath = '/v1/workspaces/{workspaceId}/members';

/** The names of members by their ids. */
export async function namesOf(kontor: KontorClient, signal: AbortSignal): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { userId, name, email } of kontor.pages(membersPath, { signal })) names.set(userId, name ?? email);
  return names;
}

/** The id of a member named by `me`, an address or an id; null for `none`. */
export async function memberNamed(kontor: KontorClient, who: string): Promise<string | null> {
  if (who === 'none') return null;
  if (who === 'me') return (await kontor.get('/v1/me')).user.id;
  for await (const { userId, email } of kontor.pages(membersPath))
    if (userId === who || email.toLowerCase() === who.toLowerCase()) return userId;
  throw new UsageError(`${who} is no member of the workspace.`);
}
