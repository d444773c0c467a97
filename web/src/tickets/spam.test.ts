import { afterEach, expect, test, vi } from 'vitest';
import { api, type Ticket } from '../api/client.ts';
import { blockRequesters } from './spam.ts';

afterEach(() => vi.restoreAllMocks());

const domains: Record<string, string> = { t1: 'one.example', t2: 'two.example' };
const tickets = Object.keys(domains).map((id, at) => ({ id, ticketNumber: at + 1, tags: [] }) as unknown as Ticket);

test('blocks no shared domain but those that the person agreed to', async () => {
  const blocked: string[] = [];
  vi.spyOn(api, 'POST').mockImplementation((async (
    _path: string,
    { params: { path }, body }: { params: { path: { ticketId: string } }; body: { evenShared?: boolean } },
  ) => {
    const { ticketId } = path;
    if (body.evenShared === true) {
      blocked.push(ticketId);
      return { data: tickets.find(({ id }) => id === ticketId), response: new Response() };
    }
    const params = { domain: domains[ticketId] };
    const error = { key: 'blocked_sender.shared_domain', fallbackMessage: '', params };
    return { error, response: new Response(null, { status: 409 }) };
  }) as never);
  const block = (agreed: string[]) => blockRequesters({ workspaceId: 'w', tickets, kind: 'domain', agreed });
  await expect(block([])).rejects.toMatchObject({ params: { domain: 'one.example' } });
  await expect(block(['one.example'])).rejects.toMatchObject({ params: { domain: 'two.example' } });
  expect(blocked).toEqual(['t1']);
  expect(await block(['one.example', 'two.example'])).toEqual([]);
});
