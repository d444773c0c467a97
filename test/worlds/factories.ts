import { addInboundAddress } from '../../src/access/workspaces/inbound-address.ts';
import type { Role } from '../../src/ground/catalog/permissions.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { newId, type UserId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import type { House } from '../harness/harness.ts';

export type Answer<Body = any> = { status: number; headers: Headers; body: Body };

/** A person who is signed in to a workspace, with a method for API calls. */
export type Person = {
  userId: UserId;
  email: string;
  workspaceId: WorkspaceId;
  sessionId: string;
  token: string;
  /** Calls the API. A path without `/v1` is below `/v1/workspaces/<their workspace>`. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
};

/** An invented id, of the kind that its place wants. */
export function inventedId<Id extends string>(text: string): Id {
  return text as Id;
}

/** Makes a workspace with its owner directly in the tables, since other tests cover registration. */
export async function makeOwner(house: House, name = 'Support', workspaceId = newId<WorkspaceId>()): Promise<Person> {
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`insert into workspaces (id, name, created_at) values (${workspaceId}, ${name}, ${tx.now})`);
    await addInboundAddress(tx, workspaceId);
    await tx.run(sql`insert into ticket_counters (workspace_id, last_number) values (${workspaceId}, 0)`);
  });
  return makeMember(house, workspaceId, 'owner');
}

export async function makeMember(
  house: House,
  workspaceId: WorkspaceId,
  role: Role,
  name: string | null = null,
): Promise<Person> {
  const userId = newId<UserId>();
  const sessionId = newId();
  const email = `${role}-${userId.slice(-8)}@example.org`;
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      insert into users (id, email, email_key, name, email_verified_at, last_workspace_id, created_at)
      values (${userId}, ${email}, ${email}, ${name}, ${tx.now}, ${workspaceId}, ${tx.now})`);
    await tx.run(sql`
      insert into members (workspace_id, user_id, role, created_at)
      values (${workspaceId}, ${userId}, ${role}, ${tx.now})`);
    await tx.run(sql`
      insert into sessions (id, user_id, created_at, last_used_at)
      values (${sessionId}, ${userId}, ${tx.now}, ${tx.now})`);
  });
  const token = house.app.tokens.sign({ userId, sessionId });
  return {
    userId,
    email,
    workspaceId,
    sessionId,
    token,
    call: (method, path, body, headers) =>
      call(house, method, path.startsWith('/v1') ? path : `/v1/workspaces/${workspaceId}${path}`, body, {
        authorization: `Bearer ${token}`,
        'x-workspace-id': workspaceId,
        ...headers,
      }),
  };
}

/** A key of the maker as a person who calls with it. Without teams it sees what its maker sees. */
export async function makeKey(maker: Person, teamIds: readonly string[] | null, role: Role = 'admin'): Promise<Person> {
  const { body } = await maker.call('POST', '/api-keys', { name: 'Robot', role, teamIds });
  return {
    ...maker,
    token: body.secret,
    call: (method, path, sent, headers) =>
      maker.call(method, path, sent, { ...headers, authorization: `Bearer ${body.secret}` }),
  };
}

/** Caches hashes, which are slow to make. */
const hashes = new Map<string, Promise<string>>();

/** Gives a person a password, as registration would. */
export async function givePassword<Someone extends Person>(
  { app }: House,
  person: Someone,
  password: string,
): Promise<Someone> {
  const hash = hashes.get(password) ?? app.passwords.hash(password);
  hashes.set(password, hash);
  const passwordHash = await hash;
  await app.db.tx((tx) => tx.run(sql`update users set password_hash = ${passwordHash} where id = ${person.userId}`));
  return person;
}

/** One HTTP call. Sends `body` as JSON unless it is a string. */
export async function call(
  house: Pick<House, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${house.url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}
