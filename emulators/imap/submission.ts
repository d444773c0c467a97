import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerAuthentication } from 'smtp-server';
import { addMail, findFolder, type ImapAccount } from './mailbox.ts';
import type { ImapWorld } from './world.ts';

/** A mail that a client handed in for delivery. */
export type Submission = { account: string; from: string; recipients: string[]; raw: Buffer };

/** The submission server: it takes mail of the accounts of the IMAP server, with STARTTLS. */
export async function openSubmission(
  world: ImapWorld,
  {
    port,
    isPlain,
    onSubmission,
  }: { port: number; isPlain: boolean; onSubmission: (submission: Submission) => unknown },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = new SMTPServer({
    ...world.certificate,
    banner: 'Kontor emulator',
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    disableReverseLookup: true,
    ...(isPlain && { allowInsecureAuth: true, disabledCommands: ['STARTTLS'] }),
    logger: false,
    onAuth: (auth, _session, callback) => {
      const { loginRefusal } = world.quirks;
      if (loginRefusal === 'UNAVAILABLE' || loginRefusal === 'LIMIT')
        return callback(refusal(454, '4.7.0 Temporary authentication failure'));
      const account = world.accounts.get((auth.username ?? '').toLowerCase());
      if (account === undefined || loginRefusal !== null || !isRight(account, auth))
        return callback(refusal(535, '5.7.8 Authentication credentials invalid'));
      callback(null, { user: account.address });
    },
    onMailFrom: ({ address }, { user }, callback) => {
      const from = address.toLowerCase();
      const isOwn = from === String(user) || world.accounts.get(String(user))?.sendsFrom.has(from) === true;
      const isForeign = world.quirks.checksSender && address !== '' && !isOwn;
      callback(isForeign ? refusal(553, '5.7.1 Sender address rejected: not owned by user') : null);
    },
    onData: (stream, session, callback) => {
      const { envelope, user } = session;
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const fault = world.faults.take('DATA');
        if (fault?.kind === 'dropped') return drop(server, session.id);
        const given = Buffer.concat(chunks);
        const raw = world.quirks.rewritesMessageIds ? withNewMessageId(given) : given;
        const account = world.accounts.get(String(user));
        const sent = account && findFolder(account, 'Sent');
        if (account && sent && world.quirks.filesSentCopies)
          addMail(account, sent, { raw, flags: ['\\Seen'], now: world.now });
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const recipients = envelope.rcptTo.map(({ address }) => address);
        onSubmission({ account: String(user), from, recipients, raw });
        if (fault?.kind === 'late') drop(server, session.id);
        else if (fault?.kind !== 'stalled') callback(null, 'Accepted');
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Loses the connection of a session. */
function drop(server: SMTPServer, sessionId: string): void {
  for (const connection of server.connections)
    if ('session' in connection && (connection.session as { id: string }).id === sessionId) connection.close();
}

function isRight(account: ImapAccount, auth: SMTPServerAuthentication): boolean {
  if (auth.method === 'XOAUTH2') return account.tokens.has(auth.accessToken ?? '');
  return auth.password === account.password;
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function withNewMessageId(raw: Buffer): Buffer {
  const text = raw.toString('latin1').replace(/^Message-ID:.*(\r\n[ \t].*)*\r\n/im, '');
  return Buffer.from(`Message-ID: <${randomUUID()}@relay.example>\r\n${text}`, 'latin1');
}
