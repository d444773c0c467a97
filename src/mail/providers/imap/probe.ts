/** Tries the servers of a mailbox, before it is connected and later. */

import type { ImapFlow } from 'imapflow';
import type {
  EndTrial,
  ListedFolders,
  ServerAccess,
  ServerFolder,
  ServerFolders,
  ServerLogin,
} from '../../provider.ts';
import { ProviderFault, type ServerRefusal } from '../../provider-fault.ts';
import { type SubmissionTrial, tryToSubmit } from '../submission-trial.ts';
import { addressOf, bounded, connect, type ReachHost } from './connection.ts';
import { faultOf } from './faults.ts';
import { sendFault } from './sending.ts';
import { canMove } from './tidying.ts';

/** Tens of thousands of folders, and as long as a person waits. */
const trialBounds = { bytesMax: 4 * 1024 * 1024, msMax: 30_000 };

type Folders = ServerFolders & ListedFolders;

export async function probe(login: ServerLogin, reach: ReachHost): Promise<Folders> {
  const { found } = await tryImap(login, reach).catch((error: unknown) => {
    throw betterWay(login, error);
  });
  await trySmtp(login, reach);
  return found;
}

export async function tryEnds({ server }: ServerAccess, reach: ReachHost): Promise<EndTrial[]> {
  const login = await server();
  const silent = { capabilities: [], bytesMax: null };
  const timed = async (end: EndTrial['end'], work: () => Promise<Pick<EndTrial, 'capabilities' | 'bytesMax'>>) => {
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    try {
      return { end, fault: null, ...(await work()), milliseconds: took() };
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      return { end, fault: error, ...silent, milliseconds: took() };
    }
  };
  const imap = await timed('imap', () => tryImap(login, reach));
  // Another wrong password might lock the account.
  if (imap.fault?.kind === 'unauthorized') return [imap];
  return [imap, await timed('smtp', () => trySmtp(login, reach))];
}

async function tryImap(login: ServerLogin, reach: ReachHost) {
  const client = await connect(login, reach);
  try {
    const found = await bounded(client, () => findFolders(client), trialBounds);
    const limit = client.capabilities.get('APPENDLIMIT');
    return { found, capabilities: [...client.capabilities.keys()].toSorted(), bytesMax: Number(limit) || null };
  } catch (error) {
    throw faultOf(error);
  } finally {
    // Servers allow few connections.
    client.close();
  }
}

export async function trySender({ server }: ServerAccess, from: string, reach: ReachHost): Promise<void> {
  await trySmtp(await server(), reach, from);
}

async function trySmtp(
  { address, smtp, username, secret }: ServerLogin,
  reach: ReachHost,
  from = address,
): Promise<SubmissionTrial> {
  const trial = await tryToSubmit({ ...smtp, ...(await addressOf(smtp, reach)), username, secret }, from);
  if (!('ok' in trial)) return trial;
  if (trial.step === 'from') {
    const sentence = `The SMTP server does not let this account send from ${from}: ${trial.reason}`;
    throw new ProviderFault('refused', 'from_refused' satisfies ServerRefusal, sentence);
  }
  throw sendFault(trial);
}

const consentHosts: readonly [RegExp, string][] = [
  [/(^|\.)(office365|office|outlook)\.com$/i, 'Microsoft takes no passwords: connect the mailbox as Microsoft 365.'],
  [
    /(^|\.)(gmail|google|googlemail)\.com$/i,
    'Google takes only passwords for apps: connect the mailbox as Gmail, or make such a password.',
  ],
];

/** A refused password may be right where passwords are not taken. */
function betterWay({ imap }: ServerLogin, error: unknown): unknown {
  if (!(error instanceof ProviderFault) || error.kind !== 'unauthorized') return error;
  const sentence = consentHosts.find(([host]) => host.test(imap.host))?.[1];
  if (sentence === undefined) return error;
  return new ProviderFault('unauthorized', 'password_not_taken' satisfies ServerRefusal, sentence, { cause: error });
}

/** Usual names of the folder for sent mail, for servers without SPECIAL-USE (RFC 6154). */
const sentNames = /^(inbox[./])?(sent|sent items|sent messages|sent mail|gesendet|gesendete objekte)$/i;

async function findFolders(client: ImapFlow): Promise<Folders> {
  const listed = await listFolders(client);
  const sent = listed.folders.find(({ use }) => use === 'sent');
  return { inboxPaths: ['INBOX'], sentPath: sent?.path ?? null, ...listed };
}

export async function listFolders(client: ImapFlow): Promise<ListedFolders> {
  return { folders: await openableFolders(client), canMove: canMove(client) };
}

/** All folders that can be opened and whose names the database can store, as the server orders them. */
async function openableFolders(client: ImapFlow): Promise<ServerFolder[]> {
  const listed = await client.list();
  const open = listed.filter(
    ({ flags, path }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent') && isStorable(path),
  );
  const folders = open.map(({ path, specialUse }): ServerFolder => ({ path, use: uses[specialUse ?? ''] ?? null }));
  if (folders.some(({ use }) => use === 'sent')) return folders;
  const sent = folders.find(({ path }) => sentNames.test(path));
  return folders.map((folder) => (folder === sent ? { ...folder, use: 'sent' as const } : folder));
}

/** PostgreSQL's texts hold neither. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

const uses: Record<string, ServerFolder['use']> = {
  '\\Inbox': 'inbox',
  '\\Sent': 'sent',
  '\\Drafts': 'drafts',
  '\\Junk': 'junk',
  '\\Trash': 'trash',
  '\\Archive': 'archive',
  '\\All': 'all',
};
