/** A real IMAP server (Debian's dovecot-imapd 2.3) and an SMTP server that keeps its mail. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chown, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ImapFlow } from 'imapflow';
import { SMTPServer } from 'smtp-server';
import { openEndpoint } from '../harness/small-server.ts';

const program = '/usr/sbin/dovecot';
const version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '';
/** Dovecot needs root to let each of its processes have a user of its own. */
export const hasDovecot = version.startsWith('2.3.') && process.getuid?.() === 0;

export const password = 'sesame';

const settings = (folder: string, port: number) => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = nobody
default_login_user = nobody
default_internal_group = nogroup
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
  mailbox Junk {
    auto = create
  }
  mailbox Trash {
    auto = create
  }
}
service imap-login {
  chroot =
  service_count = 0
  client_limit = 8192
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  process_limit = 4096
}
service anvil {
  chroot =
  client_limit = 16384
}
default_client_limit = 8192
mail_max_userip_connections = 20
mail_fsync = never
service stats {
  chroot =
}
`;

/** @param filesSentCopies whether the SMTP server files a copy of each mail in its sender's mailbox */
export async function openDovecot({ filesSentCopies = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'run'));
  mkdirSync(join(folder, 'mail'));
  chmodSync(join(folder, 'mail'), 0o777);
  const imapPort = await freePort();
  writeFileSync(join(folder, 'dovecot.conf'), settings(folder, imapPort));
  const child = spawn(program, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' });
  const {
    server,
    port: smtpPort,
    mails,
  } = await openSubmissions(async (address, raw) => {
    if (filesSentCopies) await asOwner(imapPort, address, (client) => client.append('Sent', raw, ['\\Seen']));
  });
  await answers(imapPort);
  const end = (port: number) => ({ host: '127.0.0.1', port, security: 'none' as const });
  return {
    imap: end(imapPort),
    smtp: end(smtpPort),
    /** The mails that were sent, oldest first. */
    mails,
    /** Puts a mail into the inbox, as local delivery does. */
    deliver: (address: string, raw: string, at = new Date()) => deliver(join(folder, 'mail', address), raw, at),
    /** Loses what numbers the mails of a folder, as a server does that is moved or mended. */
    renumber: async (address: string, path = 'INBOX') => {
      const maildir = join(folder, 'mail', address, path === 'INBOX' ? '' : `.${path}`);
      const numbering = () => asOwner(imapPort, address, (client) => client.mailboxOpen(path, { readOnly: true }));
      const { uidValidity } = await numbering();
      for (let tries = 0; tries < 5; tries++) {
        // A process that has the folder open keeps its numbers, and writes them when it ends.
        dropConnections(child.pid);
        // UIDVALIDITY is a time in seconds.
        await sleep(1_100);
        await renumber(maildir);
        dropConnections(child.pid);
        if ((await numbering()).uidValidity !== uidValidity) return;
      }
      throw new Error('Dovecot keeps its numbers');
    },
    dropConnections: () => dropConnections(child.pid),
    /** Works as the mailbox's owner would with another client. */
    as: <Result>(address: string, work: (client: ImapFlow) => Promise<Result>) => asOwner(imapPort, address, work),
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let delivered = 0;

async function deliver(maildir: string, raw: string, at: Date): Promise<void> {
  const name = `${Math.floor(at.getTime() / 1000)}.M${++delivered}P${process.pid}.here`;
  const { uid, gid } = await stat(maildir);
  await writeFile(join(maildir, 'tmp', name), raw.replaceAll(/\r?\n/g, '\n'));
  await chown(join(maildir, 'tmp', name), uid, gid);
  await utimes(join(maildir, 'tmp', name), at, at);
  await rename(join(maildir, 'tmp', name), join(maildir, 'new', name));
}

async function renumber(maildir: string): Promise<void> {
  for (const name of await readdir(maildir))
    if (/^dovecot(\.index|-uidlist|-uidvalidity|\.list)/.test(name)) await rm(join(maildir, name), { force: true });
}

/** Ends the processes that serve signed-in clients. */
function dropConnections(parent: number | undefined): void {
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const status = statusOf(name);
    if (status.includes('Name:\timap\n') && status.includes(`PPid:\t${parent}\n`)) process.kill(Number(name));
  }
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

export async function freePort(): Promise<number> {
  const endpoint = await openEndpoint();
  await endpoint.close();
  return Number(new URL(endpoint.url).port);
}

export async function openSubmissions(file: (address: string, raw: Buffer) => Promise<void>) {
  const mails: { to: string[]; raw: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, done) =>
      given === password ? done(null, { user: username }) : done(Object.assign(new Error('no'), { responseCode: 535 })),
    onData: (stream, { envelope, user }, done) => {
      const take = async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        const raw = Buffer.concat(chunks);
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), raw: raw.toString() });
        await file(String(user), raw);
      };
      take().then(() => done(), done);
    },
  });
  const port = await new Promise<number>((resolve) => {
    const http = server.listen(0, '127.0.0.1', () => resolve((http.address() as { port: number }).port));
  });
  return { server, port, mails };
}

export async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      setTimeout(() => socket.destroy(), 500);
    });
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('The IMAP server does not answer');
}

export async function asOwner<Result>(
  port: number,
  address: string,
  work: (client: ImapFlow) => Promise<Result>,
): Promise<Result> {
  const auth = { user: address, pass: password };
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.logout();
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
