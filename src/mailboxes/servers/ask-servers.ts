import type { MailboxKey } from '../../catalog/jobs.ts';
import { AppError } from '../../lib/errors.ts';
import {
  type EndTrial,
  type MailServer,
  type PasswordProvider,
  ProviderFault,
  type ServerAccess,
  type ServerFolder,
} from '../../mail/provider.ts';
import type { AccountParts } from '../open-account.ts';
import { findMailbox } from '../queries.ts';
import { serverAccess } from './servers.ts';
import { countSignIn } from './sign-ins.ts';

type Asking = { provider: PasswordProvider; access: ServerAccess; server: MailServer };

/** @returns undefined for a provider without servers of its own. Throws 404, and 503 when a server does not answer. */
async function askServers<Result>(
  parts: AccountParts,
  key: MailboxKey,
  work: (asking: Asking) => Promise<Result>,
): Promise<Result | undefined> {
  const mailbox = await findMailbox(parts.db, key);
  if (mailbox === undefined || mailbox.status === 'disconnected') throw new AppError('mailbox.not_found');
  const provider = parts.providers[mailbox.provider];
  if (provider.auth !== 'password') return undefined;
  const done = new AbortController();
  try {
    const access = serverAccess(parts, mailbox, done.signal);
    return await work({ provider, access, server: await access.server() });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    throw new AppError('unavailable', {}, { cause: error, headers: { 'retry-after': '60' } });
  } finally {
    done.abort();
  }
}

export type ChosenFolder = ServerFolder & { isRead: boolean };

/** The folders on the server. Empty for a provider that lists none. */
export async function readFolders(parts: AccountParts, key: MailboxKey): Promise<ChosenFolder[]> {
  const folders = await askServers(parts, key, ({ provider, access, server }) =>
    countSignIn(parts, { workspaceId: key.workspaceId, ...server }, async () => {
      const { inboxPaths, sentPath } = server;
      const listed = await provider.listFolders(access);
      return listed.map((folder) => ({
        ...folder,
        isRead: inboxPaths.includes(folder.path) || sentPath === folder.path,
      }));
    }),
  );
  return folders ?? [];
}

/** Tries both servers. Empty for a provider without servers of its own. */
export async function testServers(parts: AccountParts, key: MailboxKey): Promise<EndTrial[]> {
  const trials = await askServers(parts, key, async ({ provider, access, server }) => {
    let ends: EndTrial[] = [];
    const tried = async () => {
      ends = await provider.tryEnds(access);
      const refused = ends.find(({ fault }) => fault?.kind === 'unauthorized');
      if (refused?.fault != null) throw refused.fault;
    };
    // A refused password is an answer here, and counts.
    await countSignIn(parts, { workspaceId: key.workspaceId, ...server }, tried).catch((error: unknown) => {
      if (!(error instanceof ProviderFault)) throw error;
    });
    return ends;
  });
  return trials ?? [];
}
