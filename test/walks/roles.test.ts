import { expect, test } from 'vitest';
import { permissions, roles } from '../../src/ground/catalog/permissions.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import { useHouse } from '../harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../worlds/factories.ts';
import { type Operation, operationsOf, sampleOf, send, workspacePrefix } from './api-walk.ts';

const house = useHouse();

/** Sends a request that is valid except for its unknown ids. @returns the error key */
async function keyOf(
  operation: Operation,
  { workspaceId }: Pick<Person, 'workspaceId'>,
  token: string,
): Promise<string> {
  const url = operation.path.replace('{workspaceId}', workspaceId).replaceAll(/\{\w+\}/g, () => newId());
  // A role that every caller may grant.
  const choose = (name: string) => (name === 'role' ? 'viewer' : undefined);
  const body = operation.body && JSON.stringify(sampleOf(operation.body, '', choose));
  const sent = operation.bodyType === 'multipart/form-data' ? new FormData() : body;
  const answer = await send(house, operation, url, sent, { token, workspaceHeader: workspaceId });
  return answer.body?.key ?? `${answer.status}`;
}

const documented = async () =>
  operationsOf((await call(house, 'GET', '/v1/openapi.json')).body).filter(
    ({ path, isPublic }) => path.startsWith(workspacePrefix) && !isPublic,
  );
const rolesIn = ({ description }: Operation) => /Roles: ([a-z, ]+)\./.exec(description)?.[1]?.split(', ') ?? [];
const isForPeople = ({ description }: Operation) => description.includes('Not with an API key.');

test('every operation allows exactly the roles that its description names', async () => {
  const owner = await makeOwner(house);
  const people = new Map<string, Person>([['owner', owner]]);
  for (const role of roles.slice(1)) people.set(role, await makeMember(house, owner.workspaceId, role));
  const faults: string[] = [];
  const tables = Object.values(permissions).map((allowed) => allowed.join());
  for (const operation of await documented()) {
    if (!tables.includes(rolesIn(operation).join()))
      faults.push(`${operation.name}: its roles are none of the table's`);
    for (const [role, person] of people) {
      const isRefused = (await keyOf(operation, person, person.token)) === 'auth.role_insufficient';
      // This check is behind the gate: members may remove themselves, and other removals need a higher role.
      const isBehind = operation.name === `DELETE ${workspacePrefix}/members/{userId}`;
      if (!isBehind && isRefused === rolesIn(operation).includes(role)) faults.push(`${operation.name}: as ${role}`);
    }
  }
  expect(faults).toEqual([]);
});

test('a key may do what its role may, except what only people may do', async () => {
  const owner = await makeOwner(house);
  const secrets = new Map<string, string>();
  for (const role of roles)
    secrets.set(role, (await owner.call('POST', '/api-keys', { name: role, role })).body.secret);
  const faults: string[] = [];
  for (const operation of await documented()) {
    for (const [role, secret] of secrets) {
      const key = await keyOf(operation, owner, secret);
      const expected = isForPeople(operation)
        ? key === 'auth.session_required'
        : key !== 'auth.session_required' && key.startsWith('auth.') !== rolesIn(operation).includes(role);
      if (!expected) faults.push(`${operation.name}: with a key of ${role}: ${key}`);
    }
  }
  expect(faults).toEqual([]);
});

test('a key of one workspace gets into no other workspace, though its maker is a member of both', async () => {
  const [owner, other] = [await makeOwner(house), await makeOwner(house)];
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${other.workspaceId}, ${owner.userId}, 'owner', ${tx.now})`),
  );
  const { secret } = (await owner.call('POST', '/api-keys', { name: 'k', role: 'owner' })).body;
  for (const operation of await documented())
    expect([operation.name, await keyOf(operation, other, secret)]).toEqual([operation.name, 'workspace.forbidden']);
});
