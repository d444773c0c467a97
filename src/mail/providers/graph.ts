/** Opens Microsoft 365 mailboxes through Graph v1.0. */
import { type Clock, systemClock } from '../../ground/lib/clock.ts';
import type { MailboxProfile, OAuthProvider, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { anchor, changes } from './graph-changes.ts';
import { senseless } from './graph-faults.ts';
import { fetchMail } from './graph-fetch.ts';
import { mailFolders, openFolderIds } from './graph-folders.ts';
import { history } from './graph-history.ts';
import { type GraphRequests, openGraphRequests } from './graph-requests.ts';
import { send } from './graph-send.ts';
import { findSent, readCopy } from './graph-sent.ts';
import { openGraphTokens } from './graph-tokens.ts';
import { renewWatch, stopWatch, watch } from './graph-watch.ts';
import { providerKeys, traitsOf } from './registry.ts';

export type GraphOptions = {
  /** With the version, and without a slash at the end. */
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
  clock?: Clock;
};

export function openGraph({ apiUrl, clock = systemClock, ...registration }: GraphOptions): OAuthProvider {
  const closing = new AbortController();
  return {
    ...traitsOf(providerKeys.microsoft),
    ...openGraphTokens({ apiUrl, ...registration, signal: closing.signal }),
    openAccount: (access, sharedAddress) => {
      const requests = openGraphRequests({ apiUrl, access, closing: closing.signal, sharedAddress });
      return sharedAddress === undefined ? accountOf(requests, clock) : sharedAccountOf(requests, clock, sharedAddress);
    },
    close: async () => closing.abort(),
  };
}

function accountOf(requests: GraphRequests, clock: Clock): ProviderAccount {
  const folderIds = openFolderIds(requests);
  return {
    profile: () => profile(requests),
    aliases: () => aliases(requests),
    holds: async (providerId) => (await readCopy(requests, providerId)) !== undefined,
    anchor: () => anchor(requests, clock),
    changes: (cursor) => changes(requests, cursor),
    history: (since, page, options) => history(requests, { since, page, ...options }),
    fetch: (found, options) => fetchMail(requests, folderIds, { ...found, ...options }),
    watchKeys: mailFolders,
    watch: (key, target) => watch(requests, clock, { key, target }),
    renewWatch: (kept, target) => renewWatch(requests, clock, { watch: kept, target }),
    stopWatch: (kept) => stopWatch(requests, kept),
    send: (mail, steps) => send(requests, mail, steps),
    fileCopy: async () => true,
    findSent: (mail) => findSent(requests, mail),
  };
}

/**
 * A shared mailbox has no subscription, so the service polls it. With delegated permissions, Graph sends no
 * notifications for another account's mailbox (learn.microsoft.com/graph/outlook-share-messages-folders).
 */
function sharedAccountOf(requests: GraphRequests, clock: Clock, address: string): ProviderAccount {
  return {
    ...accountOf(requests, clock),
    watchKeys: [],
    profile: () => sharedProfile(requests, address),
    // The aliases of another account would need the permission to read all users.
    aliases: async () => [],
  };
}

/**
 * Throws kind `forbidden` for an account without a mailbox. An administrator may give such an account the address of
 * any person.
 */
async function profile(requests: GraphRequests): Promise<MailboxProfile> {
  const { id, address } = await signedIn(requests);
  await requests.ask(inbox);
  return { address, userId: id, delegateAddress: null };
}

async function sharedProfile(requests: GraphRequests, address: string): Promise<MailboxProfile> {
  const { address: delegateAddress } = await signedIn(requests);
  try {
    await requests.ask(inbox);
  } catch (error) {
    // Graph answers with 403 or 404 both for a missing mailbox and for a missing permission.
    if (!(error instanceof ProviderFault && (error.kind === 'forbidden' || error.kind === 'not-found'))) throw error;
    throw new ProviderFault(
      'forbidden',
      error.code,
      `${delegateAddress} may not open the mailbox ${address}: ` +
        `an Exchange administrator must give that account full access to it and "Send as" (${error.code}).`,
      { cause: error },
    );
  }
  return { address, userId: null, delegateAddress };
}

/** `SMTP:` marks the primary address, `smtp:` the other addresses. Other prefixes are not mail addresses. */
async function aliases(requests: GraphRequests): Promise<string[]> {
  const { proxyAddresses } = await requests.askJson('/me?$select=proxyAddresses');
  const listed: unknown[] = Array.isArray(proxyAddresses) ? proxyAddresses : [];
  return listed.flatMap((entry) => /^smtp:(.+)$/i.exec(String(entry))?.[1] ?? []);
}

const inbox = '/me/mailFolders/inbox?$select=id';

async function signedIn(requests: GraphRequests): Promise<{ id: string | null; address: string }> {
  const { id, mail, userPrincipalName } = await requests.askJson('/me?$select=id,mail,userPrincipalName');
  // `userPrincipalName` is the name for signing in. It is the address only if the account has no other address.
  const address = typeof mail === 'string' && mail !== '' ? mail : userPrincipalName;
  if (typeof address !== 'string') throw senseless('no_address');
  return { id: typeof id === 'string' ? id : null, address };
}
