import { afterEach, beforeEach } from 'vitest';
import { type GraphEmulator, openGraphEmulator } from '../../emulators/graph.ts';

export const support = 'support@acme.example';

/** An emulator for each test, with one mailbox, and a client for it. */
export type GraphClient = GraphEmulator & {
  /** The bearer token of the requests. */
  token: string;
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Said>;
  grant(members: Record<string, string>): Promise<Pick<Said, 'status' | 'body'>>;
  refresh(refreshToken: string): Promise<Pick<Said, 'status' | 'body'>>;
};
type Said = { status: number; headers: Headers; text: string; body: any };

/** Call at the top of a test file. */
export function useGraph(): GraphClient {
  const graph = { ask, grant, refresh } as GraphClient;
  beforeEach(async () => {
    Object.assign(graph, await openGraphEmulator({ behaviour: { sentDelayMs: 0 } }));
    graph.token = (await refresh(graph.addMailbox({ address: support }).refreshToken)).body.access_token;
  });
  afterEach(() => graph.close());

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ) {
    const response = await fetch(path.startsWith('http') ? path : `${graph.apiUrl}${path}`, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${graph.token}`,
        prefer: 'IdType="ImmutableId"',
        ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }

  async function grant(members: Record<string, string>) {
    const client = { client_id: graph.client.id, client_secret: graph.client.secret };
    const body = new URLSearchParams({ ...client, ...members });
    const response = await fetch(graph.tokenUrl, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as any };
  }

  function refresh(refreshToken: string) {
    return grant({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  return graph;
}
