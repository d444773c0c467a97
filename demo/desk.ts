import { setTimeout as sleep } from 'node:timers/promises';
import { type PersonKey, password, people } from './conversation.ts';
import { mailboxes, type Outside } from './customer.ts';

/** The running demo's API, as the workshop's people use it. */
export type Desk = {
  /** The ticket of a mail; undefined until the service has read the mail. */
  ticketOf(messageId: string): Promise<DeskTicket | undefined>;
  /** Waits for the ticket of a mail. */
  awaitTicket(messageId: string): Promise<DeskTicket | undefined>;
};

/** @param answerWith a shell command that answers the ticket */
export type DeskTicket = { id: string; number: number; answerWith: string };

type Session = { accessToken: string; workspace: { id: string } };
type Mailbox = { id: string; address: string };

/** Below an hour, after which tokens expire. */
const sessionMs = 50 * 60_000;
const patienceMs = 30_000;

/** Connects the mailboxes again, because the providers of an earlier start are gone. */
export async function openDesk(url: string, outside: Outside): Promise<Desk> {
  await connect(url, await signIn(url, 'ines'), outside);
  let session: { since: number; held: Promise<Session> } | undefined;
  const tickets = new Map<string, Omit<DeskTicket, 'answerWith'>>();
  const current = (): Promise<Session> => {
    if (session === undefined || performance.now() - session.since > sessionMs)
      session = { since: performance.now(), held: signIn(url, 'maya') };
    return session.held;
  };
  const ticketOf: Desk['ticketOf'] = async (messageId) => {
    const agent = await current();
    const known = tickets.get(messageId) ?? (await find(url, agent, messageId));
    if (known === undefined) return undefined;
    tickets.set(messageId, known);
    return { ...known, answerWith: answerLine(url, agent, known.id) };
  };
  return {
    ticketOf,
    awaitTicket: async (messageId) => {
      for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 100) {
        const ticket = await ticketOf(messageId);
        if (ticket !== undefined) return ticket;
        await sleep(100);
      }
      return undefined;
    },
  };
}

async function connect(url: string, owner: Session, outside: Outside): Promise<void> {
  const known = await ask<Mailbox[]>(url, 'GET', '/mailboxes', { as: owner });
  for (const { provider, address } of mailboxes) {
    const former = known.find((mailbox) => mailbox.address === address);
    if (former !== undefined) await ask(url, 'DELETE', `/mailboxes/${former.id}`, { as: owner });
    const refreshToken = outside.consent(provider, address);
    await ask(url, 'POST', '/mailboxes', { as: owner, body: { provider, address, refreshToken } });
  }
}

async function find(
  url: string,
  agent: Session,
  messageId: string,
): Promise<Omit<DeskTicket, 'answerWith'> | undefined> {
  const search = encodeURIComponent(`<${messageId}>`);
  const path = `/tickets?archived=any&search=${search}`;
  const [ticket] = await ask<{ id: string; ticketNumber: number }[]>(url, 'GET', path, { as: agent });
  return ticket && { id: ticket.id, number: ticket.ticketNumber };
}

function answerLine(url: string, { accessToken, workspace }: Session, ticketId: string): string {
  const body = JSON.stringify({ body: 'Bring it along, we will have a look.', sendEmail: true });
  return [
    `curl -s ${url}/v1/workspaces/${workspace.id}/tickets/${ticketId}/messages`,
    `-H 'authorization: Bearer ${accessToken}' -H 'x-workspace-id: ${workspace.id}'`,
    `-H 'content-type: application/json' -d '${body}'`,
  ].join(' ');
}

async function signIn(url: string, person: PersonKey): Promise<Session> {
  const { email } = people[person];
  return request<Session>(`${url}/v1/auth/session`, 'POST', {}, { provider: 'local', email, password });
}

function ask<Body>(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { as: { accessToken, workspace }, body }: { as: Session; body?: object },
): Promise<Body> {
  const headers = { authorization: `Bearer ${accessToken}`, 'x-workspace-id': workspace.id };
  return request<Body>(`${url}/v1/workspaces/${workspace.id}${path}`, method, headers, body);
}

async function request<Body>(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Body> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${text}`);
  // The API's answer, in the shape of its schema.
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}
