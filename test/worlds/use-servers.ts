import type { RequestListener } from 'node:http';
import { afterEach } from 'vitest';
import { openServer } from '../harness/small-server.ts';

/** Servers, and anything else to close, for the length of one test. Call at the top of a test file. */
export function useServers() {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return {
    closeAfter: (...close: (() => unknown)[]): void => void closers.push(...close),
    /** @returns the address of a server that answers like this */
    listen: async (answer: RequestListener): Promise<string> => {
      const { url, close } = await openServer(answer);
      closers.push(close);
      return url;
    },
  };
}

/** An OAuth client whose token endpoint no test calls. */
export const oauthRegistration = {
  tokenUrl: 'http://127.0.0.1:9/token',
  authorizeUrl: 'https://login.example.com/authorize',
  client: { id: 'kontor', secret: 'of kontor' },
};
