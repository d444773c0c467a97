import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import { AppError, invalidRequest } from '../../../ground/lib/errors.ts';
import type {
  AfterIntake,
  EndTrial,
  ListedFolders,
  MailServer,
  PasswordProvider,
  ServerAccess,
  ServerFolder,
  ServerFolders,
} from '../../provider.ts';
import { ProviderFault, type ServerRefusal } from '../../provider-fault.ts';
import { findSender } from '../addresses.ts';
import type { AccountParts } from '../open-account.ts';
import { findMailbox, type Mailbox } from '../queries.ts';
import { noteSendSuccess } from '../status/note-fault.ts';
import { serverAccess } from './servers.ts';
import { countSignIn } from './sign-ins.ts';

type Asking = { mailbox: Mailbox; provider: PasswordProvider; access: ServerAccess; server: MailServer };

/** @returns undefined for a provider without servers of its own. Throws 404, and as `asServerFault`. */
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
    return await work({ mailbox, provider, access, server: await access.server() });
  } catch (error) {
    throw asServerFault(error);
  } finally {
    done.abort();
  }
}

/** 400 for a refused sign-in, which only a person ends; else 503. */
export function asServerFault(error: unknown): unknown {
  if (!(error instanceof ProviderFault)) return error;
  const { kind, code, message: reason } = error;
  if (kind === 'unauthorized') return new AppError('mailbox.not_authorized', { code, reason }, { cause: error });
  return new AppError('unavailable', {}, { cause: error, headers: { 'retry-after': '60' } });
}

type Chosen = ServerFolders & AfterIntake;
export type FolderList = AfterIntake &
  Pick<ServerFolders, 'sentPath'> & { folders: (ServerFolder & { isRead: boolean })[]; canMove: boolean };

/**
 * The folders on the server, without any for a provider that lists none.
 * @param check sees the folders on the server and the present choice
 */
export async function readFolders(
  parts: AccountParts,
  key: MailboxKey,
  check?: (listed: ListedFolders, present: Chosen) => Promise<Chosen>,
): Promise<FolderList> {
  const read = await askServers(parts, key, ({ provider, access, server }) =>
    countSignIn(parts, { workspaceId: key.workspaceId, ...server }, async () => {
      const listed = await provider.listFolders(access);
      const { inboxPaths, sentPath, afterIntake, movePath } = (await check?.(listed, server)) ?? server;
      const isRead = (path: string) => inboxPaths.includes(path) || sentPath === path;
      const folders = listed.folders.map((folder) => ({ ...folder, isRead: isRead(folder.path) }));
      return { folders, canMove: listed.canMove, sentPath, afterIntake, movePath };
    }),
  );
  return read ?? { folders: [], canMove: false, sentPath: null, afterIntake: 'leave', movePath: null };
}

/**
 * Tries both servers. A sender that the server takes may send again. Empty for a provider without servers of its own.
 */
export async function testServers(parts: AccountParts, key: MailboxKey): Promise<EndTrial[]> {
  const trials = await askServers(parts, key, async ({ provider, access, server, mailbox }) => {
    let ends: EndTrial[] = [];
    const tried = async () => {
      ends = await provider.tryEnds(access);
      const refused = ends.find(({ fault }) => fault?.kind === 'unauthorized');
      if (refused?.fault != null) throw refused.fault;
      if (ends.some(({ end, fault }) => end === 'smtp' && fault === null))
        await parts.db.tx((tx) => noteSendSuccess(tx, mailbox));
    };
    // A refused password is an answer here, and counts.
    await countSignIn(parts, { workspaceId: key.workspaceId, ...server }, tried).catch((error: unknown) => {
      if (!(error instanceof ProviderFault)) throw error;
    });
    return ends;
  });
  return trials ?? [];
}

/** A server that answers slowly must not hold the request for minutes. */
const senderTrialsMsMax = 40_000;

/**
 * Asks the mail server whether a mailbox may send from addresses, but for those from which it sends already.
 * Throws 400 for an address that the server refuses, and as `asServerFault`.
 */
export async function trySenders(parts: AccountParts, key: MailboxKey, senders: readonly string[]): Promise<void> {
  await askServers(parts, key, async ({ provider, access, server, mailbox }) => {
    const until = performance.now() + senderTrialsMsMax;
    for (const from of senders) {
      if (findSender(mailbox, from) !== undefined) continue;
      if (performance.now() > until) throw new AppError('unavailable', {}, { headers: { 'retry-after': '60' } });
      const account = { workspaceId: key.workspaceId, ...server };
      await countSignIn(parts, account, () => provider.trySender(access, from)).catch((error: unknown) => {
        const isRefused = error instanceof ProviderFault && error.code === ('from_refused' satisfies ServerRefusal);
        if (!isRefused) throw error;
        throw invalidRequest({ path: `body.sendAs[${from}]`, key: 'from_refused', params: { said: error.message } });
      });
    }
  });
}
