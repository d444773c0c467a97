import type { PasswordProvider, ProviderAccount, ServerAccess } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';
import { providerKeys, traitsOf } from '../registry.ts';
import { examine, openSession, type ReachHost } from './connection.ts';
import { countMails, oldestOf } from './counting.ts';
import { listenTo, type Patience, usualPatience } from './listening.ts';
import { listFolders, probe, tryEnds, trySender } from './probe.ts';
import { changesSince, fetchMail, mailSince, takeAnchor } from './reading.ts';
import { fileSentCopy, findSentMail, sendMail } from './sending.ts';
import { tidyMails } from './tidying.ts';

export type ImapOptions = {
  reach: ReachHost;
  patience?: Patience;
};

/** Opens mailboxes at any IMAP server (RFC 9051, RFC 3501), which send by SMTP (RFC 6409). */
export function openImap({ reach, patience = usualPatience }: ImapOptions): PasswordProvider {
  return {
    ...traitsOf(providerKeys.imap),
    probe: (login) => probe(login, reach),
    tryEnds: (access) => tryEnds(access, reach),
    listFolders: (access) => readingOf(access, reach).session.use(listFolders),
    openAccount: (access) => openAccount(access, reach),
    trySender: (access, from) => trySender(access, from, reach),
    countMails: (access, cursor) => countMails(readingOf(access, reach), cursor),
    oldestOf: (access, ids) => oldestOf(readingOf(access, reach), ids),
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
      await session.use((client) => examine(client, inboxPaths.find((path) => path !== '') ?? 'INBOX'));
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
    tidy: (mails) => tidyMails(reading, mails),
  };
}

function readingOf({ server, signal }: ServerAccess, reach: ReachHost) {
  return { session: openSession({ login: server, reach, signal }), server };
}

async function unwatched(): Promise<never> {
  throw new ProviderFault('refused', 'no_watch', 'IMAP servers notify nobody.');
}
