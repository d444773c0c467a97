import type { ImapFlow } from 'imapflow';
import {
  type PasswordProvider,
  type ProviderAccount,
  ProviderFault,
  type ServerAccess,
  type ServerFolders,
  type ServerLogin,
  type ServerRefusal,
} from '../../provider.ts';
import { providerKeys, traitsOf } from '../registry.ts';
import { openSubmission } from '../smtp.ts';
import { addressOf, examine, openSession, type ReachHost } from './connection.ts';
import { listenTo, type Patience, usualPatience } from './listening.ts';
import { changesSince, countMails, fetchMail, mailSince, takeAnchor } from './reading.ts';
import { fileSentCopy, findSentMail, sendFault, sendMail } from './sending.ts';

export type ImapOptions = {
  reach: ReachHost;
  patience?: Patience;
};

/** Opens mailboxes at any IMAP server (RFC 9051, RFC 3501), which send by SMTP (RFC 6409). */
export function openImap({ reach, patience = usualPatience }: ImapOptions): PasswordProvider {
  return {
    ...traitsOf(providerKeys.imap),
    probe: (login) => probe(login, reach),
    openAccount: (access) => openAccount(access, reach),
    countMails: (access, cursor) => countMails(readingOf(access, reach), cursor),
    listen: (access, told) => listenTo(access, { reach, patience, ...told }),
    close: async () => undefined,
  };
}

function openAccount(access: ServerAccess, reach: ReachHost): ProviderAccount {
  const reading = readingOf(access, reach);
  const { session } = reading;
  const sending = { reach, access, session };
  return {
    profile: async () => {
      const { address, inboxPaths } = await access.server();
      await session.use((client) => examine(client, inboxPaths[0] ?? 'INBOX'));
      return { address, userId: null, delegateAddress: null };
    },
    aliases: async () => [],
    holds: async (providerId) => 'raw' in (await fetchMail(reading, { providerId, folder: 'inbox' })),
    anchor: () => takeAnchor(reading),
    changes: (cursor) => changesSince(reading, cursor),
    history: (since, page) => mailSince(reading, since, page),
    fetch: (found) => fetchMail(reading, found),
    watchKeys: [],
    watch: unwatched,
    renewWatch: unwatched,
    stopWatch: async () => undefined,
    send: (mail, steps) => sendMail(sending, mail, steps),
    findSent: (mail) => findSentMail(sending, mail),
    fileCopy: (copy, options) => fileSentCopy(sending, copy, options),
  };
}

function readingOf({ server, signal }: ServerAccess, reach: ReachHost) {
  return { session: openSession({ login: server, reach, signal }), server };
}

async function unwatched(): Promise<never> {
  throw new ProviderFault('refused', 'no_watch', 'IMAP servers notify nobody.');
}

async function probe(login: ServerLogin, reach: ReachHost): Promise<ServerFolders> {
  const done = new AbortController();
  const session = openSession({ login: async () => login, reach, signal: done.signal });
  // Servers allow few connections.
  const folders = await session
    .use(findFolders)
    .catch((error: unknown) => {
      throw betterWay(login, error);
    })
    .finally(() => done.abort());
  const { smtp, username, password } = login;
  const transport = openSubmission({ ...smtp, ...(await addressOf(smtp, reach)), username, password });
  try {
    const refusal = await transport.signIn();
    if (refusal !== undefined) throw sendFault(refusal);
  } finally {
    await transport.close();
  }
  return folders;
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

async function findFolders(client: ImapFlow): Promise<ServerFolders> {
  const folders = await client.list();
  const sent =
    folders.find(({ specialUse }) => specialUse === '\\Sent') ?? folders.find(({ path }) => sentNames.test(path));
  return { inboxPaths: ['INBOX'], sentPath: sent?.path ?? null };
}
