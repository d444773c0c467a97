import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMail } from '@kontor/mail/parse.ts';
import type { App } from '../src/app.ts';
import type { Principal } from '../src/ground/catalog/actor.ts';
import type { Server } from '../src/ground/http/http.ts';
import { AppError } from '../src/ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../src/ground/lib/ids.ts';
import { drain } from '../src/worker.ts';
import { type PersonKey, password, people, workspaceName } from './conversation.ts';

/** A clock for the demo's past, which stands still at the time that was set. */
export type DemoClock = { now(): Date; set(to: Date): void };

export function demoClock(from: Date): DemoClock {
  let now = from;
  return {
    now: () => now,
    set: (to) => {
      now = to;
    },
  };
}

/** The workspace with all its people. It uses only the API, so a client could do all that the demo does. */
export type Office = {
  workspaceId: WorkspaceId;
  userIds: Record<PersonKey, UserId>;
  /** Calls the API below the workspace as a person. Throws unless the answer is 2xx. */
  as<Body>(person: PersonKey, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Body>;
  /** Runs every due job. */
  drain(): Promise<void>;
};

type Session = { accessToken: string; user: { id: string }; workspace: { id: WorkspaceId } };

/** The owner registers and invites the other people, who follow the links in their mails. */
export async function openOffice(app: App, server: Server): Promise<Office> {
  const { email, name } = people.ines;
  await call(server, 'POST', '/v1/auth/register', { email, password, name, workspaceName });
  const first = await call<Session>(server, 'POST', '/v1/auth/session', { provider: 'local', email, password });
  const workspaceId = first.workspace.id;
  const principals = new Map<PersonKey, Principal>([['ines', principalOf(app, first)]]);

  const as = async <Body>(
    person: PersonKey,
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: object,
  ): Promise<Body> => {
    const principal = principals.get(person);
    if (principal === undefined) throw new Error(`${person} has not joined yet`);
    // Signs a token for each call, since days may pass between two calls.
    const headers = {
      authorization: `Bearer ${app.tokens.sign(principal)}`,
      'x-workspace-id': workspaceId,
    };
    return call<Body>(server, method, `/v1/workspaces/${workspaceId}${path}`, body, headers);
  };

  for (const person of ['tomasz', 'maya', 'luc', 'hana'] as const) {
    const { email: address, name: personName, role } = people[person];
    await as('ines', 'POST', '/invites', { email: address, role });
    await drain(app);
    const token = await mailedToken(app, address);
    const session = await call<Session>(server, 'POST', '/v1/auth/accept-invite', {
      token,
      email: address,
      password,
      name: personName,
    });
    principals.set(person, principalOf(app, session));
  }
  // Everybody has joined above.
  const userIds = Object.fromEntries(
    [...principals].map(([person, { userId }]) => [person, userId]),
  ) as Office['userIds'];
  return { workspaceId, userIds, as, drain: () => drain(app) };
}

function principalOf({ tokens }: App, { accessToken }: Session): Principal {
  const principal = tokens.read(accessToken);
  if (principal instanceof AppError) throw principal;
  return principal;
}

async function call<Body>(
  server: Server,
  method: 'GET' | 'POST' | 'PATCH',
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Body> {
  const answer = await server.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) });
  if (answer.statusCode >= 300) throw new Error(`${method} ${url} was answered ${answer.statusCode}: ${answer.body}`);
  // The API's answer, in the shape of its schema.
  return JSON.parse(answer.body) as Body;
}

/** The token in the newest mail to the address in the outbox. */
async function mailedToken({ config }: App, address: string): Promise<string> {
  const outbox = join(config.dataDir, 'outbox');
  for (const name of (await readdir(outbox)).sort().reverse()) {
    const mail = await parseMail(await readFile(join(outbox, name)));
    const token = /^\S+\/accept-invite\?token=(\S+)$/m.exec(mail.text)?.[1];
    if (token !== undefined && mail.to.some(({ email }) => email === address)) return token;
  }
  throw new Error(`no invitation was mailed to ${address}`);
}
