import { expect, test } from 'vitest';
import type { Server } from './http.ts';
import { listen } from './listen.ts';

test.each([
  ['EADDRINUSE', /^Port 80 is taken/],
  ['EACCES', /^This user may not open port 80: set PORT to 1024 or above/],
  ['EADDRNOTAVAIL', /^HOST 203\.0\.113\.7 is not an address of this machine/],
  ['ENOTFOUND', /^HOST 203\.0\.113\.7 is neither an address nor a known name/],
])('explains %s in a sentence that says what to do', async (code, sentence) => {
  const server = { listen: () => Promise.reject(Object.assign(new Error(code), { code })) } as unknown as Server;
  const failed = listen(server, { host: '203.0.113.7', port: 80 });
  await expect(failed).rejects.toThrow(sentence);
  await expect(failed).rejects.toMatchObject({ name: 'StartError' });
});
