import type { RequestListener } from 'node:http';
import { openGraphEmulator } from '../../emulators/graph.ts';
import type { ProviderAccount } from '../../src/mail/provider.ts';
import { openGraph } from '../../src/mail/providers/graph.ts';
import { oauthRegistration, useServers } from '../worlds/use-servers.ts';

/** The mailbox of `openWorld`. */
export const address = 'support@example.com';

/** Accounts at Graph for the length of one test. Call at the top of a test file. */
export function useGraphAccounts() {
  const { listen, closeAfter } = useServers();

  /** Opens an account at an emulator of its own. */
  async function openWorld(behaviour: NonNullable<Parameters<typeof openGraphEmulator>[0]>['behaviour'] = {}) {
    const emulator = await openGraphEmulator({ behaviour });
    const graph = openGraph(emulator);
    closeAfter(emulator.close, graph.close);
    const { refreshToken } = emulator.addMailbox({ address });
    const { accessToken } = await graph.refresh(refreshToken);
    const access = { token: async () => accessToken, renew: async () => accessToken };
    return { emulator, account: graph.openAccount(access) };
  }

  /** Opens an account at a server with scripted answers. */
  async function openAt(answer: RequestListener): Promise<{ url: string; account: ProviderAccount }> {
    const url = await listen(answer);
    const graph = openGraph({ ...oauthRegistration, apiUrl: `${url}/v1.0` });
    closeAfter(graph.close);
    return { url, account: graph.openAccount({ token: async () => 'secret', renew: async () => 'secret' }) };
  }

  return { listen, closeAfter, openWorld, openAt };
}
