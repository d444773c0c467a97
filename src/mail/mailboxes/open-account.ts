import type { Db } from '../../ground/database/db.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import type { PublicWeb } from '../../ground/platform/public-web.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import type { Access, ProviderAccount, Providers } from '../provider.ts';
import { type Credentials, freshAccess } from './credentials.ts';
import type { Mailbox } from './queries.ts';
import { serverAccess } from './servers/servers.ts';

export type AccountParts = { db: Db; providers: Providers; seal: Seal; clock: Clock; publicWeb: PublicWeb };

/** A token is not used in its last minute, because a request may take that long. */
const spareMs = 60_000;

/**
 * Opens a mailbox at its provider with its own credentials, which are read on first use and renewed when needed. Dead
 * credentials throw a `ProviderFault` of kind `unauthorized`.
 */
export function openAccount(
  parts: AccountParts,
  mailbox: Pick<Mailbox, 'workspaceId' | 'id' | 'provider' | 'address' | 'delegateAddress'>,
  signal?: AbortSignal,
): ProviderAccount {
  const provider = parts.providers[mailbox.provider];
  if (provider.auth === 'password') return provider.openAccount(serverAccess(parts, mailbox, signal));
  let held: Credentials | undefined;
  let renewal: Promise<Credentials> | undefined;
  const isGood = ({ expiresAt }: Credentials) => expiresAt.getTime() - parts.clock.now().getTime() > spareMs;
  // One of several concurrent requests renews. `freshAccess` coordinates the processes.
  const renewed = async (refused?: string): Promise<string> => {
    const isWanted = (access: Credentials) => isGood(access) && access.token !== refused;
    renewal ??= freshAccess({ ...parts, provider, signal }, mailbox, isWanted).finally(() => {
      renewal = undefined;
    });
    held = await renewal;
    return held.token;
  };
  const access: Access = {
    token: async () => (held !== undefined && isGood(held) ? held.token : renewed()),
    renew: async (refused) => (held !== undefined && held.token !== refused ? held.token : renewed(refused)),
    ...(signal === undefined ? {} : { signal }),
  };
  return provider.openAccount(access, mailbox.delegateAddress === null ? undefined : mailbox.address);
}
