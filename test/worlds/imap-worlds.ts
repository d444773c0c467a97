/** IMAP servers behind the interface of the contract: the emulator, Dovecot and Cyrus. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ImapFlow } from 'imapflow';
import { answerTo, type MailFields, writeMail } from '../../emulators/customer-mail.ts';
import type { ImapFault } from '../../emulators/imap/quirks.ts';
import { openImapEmulator } from '../../emulators/imap.ts';
import { readHead } from '../../emulators/read-mail.ts';
import type { ServerEnd } from '../../src/mail/provider.ts';
import { openImap } from '../../src/mail/providers/imap/imap.ts';
import { openCyrus } from '../peers/cyrus.ts';
import { openDovecot, password as passwordAtDovecot } from '../peers/dovecot.ts';
import type { Asked, Place, ProviderWorld, Trouble } from './provider-worlds.ts';

/** How long a client takes to notice a lost connection. */
const noticeMs = 200;

type Server = {
  imap: ServerEnd;
  smtp: ServerEnd;
  addMailbox(address: string): string;
  renumber(address: string): void | Promise<void>;
  submissions(): { recipients: string[]; raw: Buffer }[];
  fail?(command: string, fault: Omit<ImapFault, 'on'>): void;
  changePassword?(address: string): Promise<void>;
  close(): Promise<void>;
};

export async function openImapWorld(): Promise<ProviderWorld> {
  const emulator = await openImapEmulator({ isPlain: true, quirks: { filesSentCopies: true, connectionsMax: 100 } });
  const end = (port: number) => ({ host: emulator.host, port, security: 'none' as const });
  return openWorld({
    imap: end(emulator.ports.imap),
    smtp: end(emulator.ports.submission),
    addMailbox: (address) => {
      emulator.addAccount(address, 'a secret');
      return 'a secret';
    },
    renumber: (address) => emulator.renewUidValidity(address),
    submissions: () => emulator.submissions,
    fail: (on, fault) => emulator.setFault({ on, ...fault }),
    changePassword: async (address) => {
      emulator.addAccount(address, 'another secret');
      emulator.dropConnections();
      await sleep(noticeMs);
    },
    close: emulator.close,
  });
}

export async function openDovecotWorld(): Promise<ProviderWorld> {
  const dovecot = await openDovecot({ filesSentCopies: true });
  return openWorld({
    ...dovecot,
    addMailbox: () => passwordAtDovecot,
    renumber: async (address) => {
      await dovecot.renumber(address);
      await sleep(noticeMs);
    },
    submissions: () => dovecot.mails.map(({ to, raw }) => ({ recipients: to, raw: Buffer.from(raw) })),
  });
}

export async function openCyrusWorld(): Promise<ProviderWorld> {
  const cyrus = await openCyrus();
  return openWorld({
    ...cyrus,
    renumber: async (address) => {
      await cyrus.renumber(address);
      await sleep(noticeMs);
    },
    submissions: () => cyrus.mails.map(({ to, raw }) => ({ recipients: to, raw: Buffer.from(raw) })),
  });
}

const folders: Record<Place | 'sent', string> = { inbox: 'INBOX', junk: 'Junk', bin: 'Trash', sent: 'Sent' };
/** The first part of a mail's id. Only the folders that are read have numbers. */
const names: Record<string, string> = { INBOX: '1', Sent: '0', Junk: 'junk', Trash: 'bin' };

const commands: Record<Asked, string> = {
  token: 'LOGIN',
  profile: 'EXAMINE',
  changes: 'EXAMINE',
  history: 'EXAMINE',
  fetch: 'FETCH',
  send: 'DATA',
};
const faults: Record<Trouble['kind'], Pick<ImapFault, 'kind' | 'code'>> = {
  throttled: { kind: 'no', code: 'LIMIT' },
  down: { kind: 'bye' },
  forbidden: { kind: 'no', code: 'NOPERM' },
  unauthorized: { kind: 'no', code: 'AUTHENTICATIONFAILED' },
  broken: { kind: 'dropped' },
  stalled: { kind: 'stalled' },
};

let count = 0;

function openWorld(server: Server): ProviderWorld {
  const { imap, smtp, fail, changePassword } = server;
  const provider = openImap({ reach: async () => ['127.0.0.1'] });
  const secrets = new Map<string, string>();
  const owners = openOwners(imap, secrets);
  const open: ProviderWorld['openAgain'] = (address) => openSigned(address);
  const openSigned = (address: string, signal?: AbortSignal) =>
    provider.openAccount({
      server: async () => ({
        address,
        imap,
        smtp,
        username: address,
        secret: { password: secrets.get(address) ?? '' },
        inboxPaths: ['INBOX'],
        sentPath: 'Sent',
        sentCopy: 'server',
        sentCopyLearned: null,
        afterIntake: 'leave',
        movePath: null,
      }),
      learnSentCopy: async () => undefined,
      ...(signal !== undefined && { signal }),
    });
  const put = (address: string, folder: string, raw: Buffer, { flags = [] as string[], at = new Date() } = {}) =>
    owners.as(address, async (client) => {
      const put = await client.append(folder, raw, flags, at);
      if (put === false) throw new Error(`${folder} takes no mail`);
      return `${names[folder]}.${put.uidValidity}.${put.uid}`;
    });
  const write = (address: string, mail: MailFields) => writeMail(mail, { to: address, date: new Date() });
  const received = (customer: string) =>
    server.submissions().flatMap(({ recipients, raw }) => (recipients.includes(customer) ? [raw] : []));
  return {
    name: provider.name,
    threadId: null,
    waitMs: 60_000,
    pageOverflow: 201,
    openMailbox: (signal) => {
      const address = `support-${++count}@imap.example.org`;
      secrets.set(address, server.addMailbox(address));
      return { address, account: openSigned(address, signal) };
    },
    openAgain: open,
    secretOf: async (address) => secrets.get(address) ?? '',
    deliver: async (address, mail = {}, { place = 'inbox', receivedAt } = {}) => {
      const raw = Buffer.isBuffer(mail) ? mail : await write(address, mail);
      return put(address, folders[place], raw, { ...(receivedAt !== undefined && { at: receivedAt }) });
    },
    sendByHand: async (address, mail) =>
      put(address, 'Sent', await write(address, { from: address, ...mail }), { flags: ['\\Seen'] }),
    // Some clients keep drafts beside other mail.
    saveDraft: async (address, mail) => put(address, 'INBOX', await write(address, mail), { flags: ['\\Draft'] }),
    move: (address, id, place) => owners.move(address, id, folders[place]),
    remove: (address, id) => owners.remove(address, id),
    received,
    reply: async (customer) => {
      const raw = received(customer).at(-1) ?? Buffer.alloc(0);
      const { from } = readHead(raw);
      const address = from?.email ?? '';
      return put(address, 'INBOX', await write(address, answerTo(raw, customer)));
    },
    loseHistory: server.renumber,
    ...(fail !== undefined && {
      fail: (asked: Asked, _address: string, { kind, isCarriedOut = false, times = 1 }: Trouble) =>
        fail(commands[asked], { ...faults[kind], ...(isCarriedOut && kind !== 'stalled' && { kind: 'late' }), times }),
    }),
    ...(changePassword !== undefined && { revoke: changePassword }),
    target: { notificationUrl: '', clientState: undefined, topic: undefined },
    watches: () => 0,
    letWatchesLapse: () => undefined,
    close: async () => {
      await owners.close();
      await provider.close();
      await server.close();
    },
  };
}

/** The mailboxes' owners with another client, one connection each. */
function openOwners(imap: ServerEnd, secrets: ReadonlyMap<string, string>) {
  const clients = new Map<string, Promise<ImapFlow>>();
  const turns = new Map<string, Promise<unknown>>();
  const connect = async (address: string) => {
    const auth = { user: address, pass: secrets.get(address) ?? '' };
    const client = new ImapFlow({ ...imap, secure: false, doSTARTTLS: false, auth, logger: false });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const as = async <Result>(address: string, work: (client: ImapFlow) => Promise<Result>): Promise<Result> => {
    const run = async () => {
      let client = await clients.get(address);
      if (client?.usable !== true) {
        clients.set(address, connect(address));
        client = await clients.get(address);
      }
      return work(client as ImapFlow);
    };
    const result = (turns.get(address) ?? Promise.resolve()).then(run);
    turns.set(
      address,
      result.catch(() => undefined),
    );
    return result;
  };
  const placeOf = (id: string) => {
    const [name, , uid = ''] = id.split('.');
    return { path: Object.keys(names).find((path) => names[path] === name) ?? 'INBOX', uid };
  };
  return {
    as,
    move: (address: string, id: string, to: string) =>
      as(address, async (client) => {
        const { path, uid } = placeOf(id);
        await client.mailboxOpen(path);
        const moved = await client.messageMove(uid, to, { uid: true });
        if (moved === false) throw new Error(`${id} could not be moved`);
        await client.mailboxClose();
        return `${names[to]}.${moved.uidValidity}.${moved.uidMap?.get(Number(uid))}`;
      }),
    remove: (address: string, id: string) =>
      as(address, async (client) => {
        const { path, uid } = placeOf(id);
        await client.mailboxOpen(path);
        await client.messageDelete(uid, { uid: true });
        await client.mailboxClose();
      }),
    close: async () => {
      for (const client of await Promise.all(clients.values())) client.close();
    },
  };
}
