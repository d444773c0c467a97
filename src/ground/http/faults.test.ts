import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildHouse } from '../../../test/harness/harness.ts';

let house: Awaited<ReturnType<typeof buildHouse>>;
let fault: Error;

beforeAll(async () => {
  house = await buildHouse({}, (server) => {
    const schema = { operationId: 'fail', summary: 'Fails', tags: ['operations'], response: {} };
    server.get('/fails', { config: { public: true }, schema }, () => Promise.reject(fault));
  });
});

afterAll(() => house.close());

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])('%s of a file is 503', async (code) => {
  fault = Object.assign(new Error(`${code}: write`), { code, syscall: 'write' });
  const error = vi.spyOn(house.app.log, 'error');
  const response = await fetch(`${house.url}/fails`);
  expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
    503,
    '2',
    { key: 'unavailable' },
  ]);
  expect(error).toHaveBeenCalledOnce();
  error.mockRestore();
});
