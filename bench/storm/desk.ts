import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/ground/lib/ids.ts';
import type { Side } from './side.ts';

/** A workspace with its mailboxes, and the API as its agent calls it. */
export type Desk = {
  workspaceId: string;
  mailboxes: HostedBox[];
  call<Body>(method: 'GET' | 'POST', path: string, body?: object | FormData): Promise<{ status: number; body: Body }>;
};

export type HostedBox = { id: string; address: string; side: Side };

type Session = { accessToken: string; workspace: { id: string } };
type Asked = { method: 'GET' | 'POST'; path: string; body?: object | FormData; headers?: Record<string, string> };

const password = 'correct horse battery';
/** A killed service is back within seconds. */
const patienceMs = 60_000;

/** Registers an agent with a new workspace, and connects mailboxes. */
export async function openDesk(url: string, name: string, addresses: { address: string; side: Side }[]): Promise<Desk> {
  const email = `${name}@kontor.example`;
  await ask(url, { method: 'POST', path: '/v1/auth/register', body: { email, password, workspaceName: name } });
  const signIn = async (): Promise<Session> => {
    const asked = { method: 'POST', path: '/v1/auth/session', body: { provider: 'local', email, password } } as const;
    return (await ask<Session>(url, asked)).body;
  };
  let session = await signIn();
  const workspaceId = session.workspace.id;
  const call: Desk['call'] = async (method, path, body) => {
    // A repeated call takes effect once. A repeated upload may leave a second file that nothing uses.
    const key = method === 'POST' && !(body instanceof FormData) ? { 'idempotency-key': newId() } : {};
    const askOnce = <Body>() =>
      ask<Body>(url, {
        method,
        path: `/v1/workspaces/${workspaceId}${path}`,
        ...(body && { body }),
        headers: { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': workspaceId, ...key },
      });
    const answer = await askOnce<never>();
    if (answer.status !== 401) return answer;
    // A storm may outlast an access token.
    session = await signIn();
    return askOnce();
  };
  const mailboxes: HostedBox[] = [];
  for (const { address, side } of addresses) {
    const refreshToken = await side.addMailbox(address);
    const { status, body } = await call<{ id: string }>('POST', '/mailboxes', {
      provider: side.provider,
      address,
      refreshToken,
    });
    if (status !== 201) throw new Error(`${address} could not be connected: ${JSON.stringify(body)}`);
    mailboxes.push({ id: body.id, address, side });
  }
  return { workspaceId, mailboxes, call };
}

async function ask<Body>(
  url: string,
  { method, path, body, headers = {} }: Asked,
): Promise<{ status: number; body: Body }> {
  const isForm = body instanceof FormData;
  const startedAt = performance.now();
  for (;;) {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
      // The body may break off as well.
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined);
    // The call that broke off may still run.
    const isToRepeat = answer === undefined || answer.status === 503 || answer.text.includes('idempotency.in_progress');
    // The API's answer, in the shape of its schema.
    if (!isToRepeat)
      return { status: answer.status, body: (answer.text === '' ? undefined : JSON.parse(answer.text)) as Body };
    if (performance.now() - startedAt > patienceMs) throw new Error(`${method} ${path} was not answered`);
    await sleep(100);
  }
}
