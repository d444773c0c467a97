import { expect, test } from 'vitest';
import { useHouse } from '../harness/harness.ts';

const house = useHouse({ CORS_ORIGINS: 'https://inbox.example' });

const preflight = (origin: string) =>
  fetch(
    `${house.url}/v1/workspaces/0190a000-0000-7000-8000-000000000001/tickets/0190a000-0000-7000-8000-000000000002`,
    {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type,if-match,idempotency-key,x-workspace-id',
      },
    },
  );

test('pages of listed origins may call the API, other pages may not', async () => {
  const allowed = await preflight('https://inbox.example');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://inbox.example');
  expect(allowed.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(allowed.headers.get('access-control-allow-headers')).toContain('x-workspace-id');
  expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
});

test('the page can read errors too', async () => {
  const answer = await fetch(`${house.url}/v1/me`, { headers: { origin: 'https://inbox.example' } });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://inbox.example');
  const readable = answer.headers.get('access-control-expose-headers')?.split(', ');
  expect(readable).toEqual(
    expect.arrayContaining(['x-correlation-id', 'content-disposition', 'content-range', 'allow']),
  );
});

test('an OPTIONS request that is not a preflight gets no error', async () => {
  for (const headers of [{}, { origin: 'https://inbox.example' }, { 'access-control-request-method': 'GET' }])
    expect((await fetch(`${house.url}/v1/me`, { method: 'OPTIONS', headers })).status).toBe(204);
});
