/** Microsoft 365 mailboxes, through Graph v1.0. */
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { MailProvider, ProviderAccount } from '../provider.ts';
import { anchor, changes } from './graph-changes.ts';
import { senseless } from './graph-faults.ts';
import { fetchMail } from './graph-fetch.ts';
import { mailFolders, openFolderIds } from './graph-folders.ts';
import { history } from './graph-history.ts';
import { type GraphRequests, openGraphRequests } from './graph-requests.ts';
import { send } from './graph-send.ts';
import { findSent } from './graph-sent.ts';
import { openGraphTokens } from './graph-tokens.ts';
import { renewWatch, stopWatch, watch } from './graph-watch.ts';

export type GraphOptions = {
  /** With the version, and no slash at its end. */
  apiUrl: string;
  tokenUrl: string;
  authorizeUrl: string;
  client: { id: string; secret: string } | undefined;
  clock?: Clock;
};

export function openGraph({ apiUrl, clock = systemClock, ...registration }: GraphOptions): MailProvider {
  const closing = new AbortController();
  return {
    name: 'mail-a',
    ...openGraphTokens({ apiUrl, ...registration, signal: closing.signal }),
    openAccount: (access) => accountOf(openGraphRequests({ apiUrl, access, closing: closing.signal }), clock),
    close: async () => closing.abort(),
  };
}

function accountOf(requests: GraphRequests, clock: Clock): ProviderAccount {
  const folderIds = openFolderIds(requests);
  return {
    profile: () => profile(requests),
    anchor: () => anchor(requests, clock),
    changes: (cursor) => changes(requests, cursor),
    history: (since, page) => history(requests, since, page),
    fetch: (found) => fetchMail(requests, folderIds, found),
    watchKeys: mailFolders,
    watch: (key, target) => watch(requests, clock, { key, target }),
    renewWatch: (kept, target) => renewWatch(requests, clock, { watch: kept, target }),
    stopWatch: (kept) => stopWatch(requests, kept),
    send: (mail, steps) => send(requests, mail, steps),
    findSent: (mail) => findSent(requests, mail),
  };
}

/** Throws kind `forbidden` for an account without a mailbox, to which its administrator may give anybody's address. */
async function profile(requests: GraphRequests): ReturnType<ProviderAccount['profile']> {
  const { id, mail, userPrincipalName } = await requests.askJson('/me?$select=id,mail,userPrincipalName');
  // A name to sign in with, which is the address only where no other one is set.
  const address = typeof mail === 'string' && mail !== '' ? mail : userPrincipalName;
  if (typeof address !== 'string') throw senseless('no_address');
  await requests.ask('/me/mailFolders/inbox?$select=id');
  return { address, userId: typeof id === 'string' ? id : null };
}
