import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../src/app.ts';
import type { Principal } from '../src/catalog/actor.ts';
import type { Server } from '../src/http/http.ts';
import { AppError } from '../src/lib/errors.ts';
import { parseMail } from '../src/mail/parse.ts';
import { drainQueue } from '../src/queue/queue.ts';
import { jobHandlers } from '../src/worker.ts';
import { type PersonKey, password, people, workspaceName } from './conversation.ts';

/** The clock of the demo's past: told where to stand, it stands there. */
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

/** The workspace with everybody in it, as seen through the API: what the demo does, a client could do. */
export type Office = {
  workspaceId: string;
  userIds: Record<PersonKey, string>;
  /** Calls the API as a person, below the workspace; throws when the answer is not 2xx. */
  as<Body>(person: PersonKey, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Body>;
  /** Works off every job that is due. */
  drain(): Promise<void>;
};

type Session = { accessToken: string; user: { id: string }; workspace: { id: string } };

/** The owner registers, invites the others, and they follow the links in their mails. */
export async function openOffice(app: App, server: Server): Promise<Office> {
  const drain = () => drainQueue({ db: app.db, log: app.log, handlers: jobHandlers(app) });
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
    if (principal === undefined) throw new Error(`${person} has not come in yet`);
    // Signed for this call: between two of them days may pass.
    const headers = {
      authorization: `Bearer ${app.tokens.sign(principal)}`,
      'x-workspace-id': workspaceId,
    };
    return call<Body>(server, method, `/v1/workspaces/${workspaceId}${path}`, body, headers);
  };

  for (const person of ['tomasz', 'maya', 'luc', 'hana'] as const) {
    const { email: address, name: personName, role } = people[person];
    await as('ines', 'POST', '/invites', { email: address, role });
    await drain();
    const token = await mailedToken(app, address);
    const session = await call<Session>(server, 'POST', '/v1/auth/accept-invite', {
      token,
      email: address,
      password,
      name: personName,
    });
    principals.set(person, principalOf(app, session));
  }
  // Everybody has come in above.
  const userIds = Object.fromEntries(
    [...principals].map(([person, { userId }]) => [person, userId]),
  ) as Office['userIds'];
  return { workspaceId, userIds, as, drain };
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
  // The API's own answer, in the shape of its schema.
  return JSON.parse(answer.body) as Body;
}

/** The token in the newest mail that lies in the outbox for the address. */
async function mailedToken({ config }: App, address: string): Promise<string> {
  const outbox = join(config.dataDir, 'outbox');
  for (const name of (await readdir(outbox)).sort().reverse()) {
    const mail = await parseMail(await readFile(join(outbox, name)));
    const token = /^\S+\/accept-invite\?token=(\S+)$/m.exec(mail.text)?.[1];
    if (token !== undefined && mail.to.some(({ email }) => email === address)) return token;
  }
  throw new Error(`no invitation was mailed to ${address}`);
}
