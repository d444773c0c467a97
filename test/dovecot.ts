/** A real IMAP server (Debian's dovecot-imapd 2.3) and an SMTP server that keeps what it takes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ImapFlow } from 'imapflow';
import { SMTPServer } from 'smtp-server';
import { openEndpoint } from './small-server.ts';

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
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`;

export async function openDovecot() {
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'run'));
  mkdirSync(join(folder, 'mail'));
  chmodSync(join(folder, 'mail'), 0o777);
  const imapPort = await freePort();
  writeFileSync(join(folder, 'dovecot.conf'), settings(folder, imapPort));
  const child = spawn(program, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' });
  const { server, port: smtpPort, mails } = await openSubmissions();
  await answers(imapPort);
  const end = (port: number) => ({ host: '127.0.0.1', port, security: 'none' as const });
  return {
    imap: end(imapPort),
    smtp: end(smtpPort),
    /** The mails that were sent, oldest first. */
    mails,
    /** Works as the mailbox's owner would with another client. */
    as: <Result>(address: string, work: (client: ImapFlow) => Promise<Result>) => asOwner(imapPort, address, work),
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const endpoint = await openEndpoint();
  await endpoint.close();
  return Number(new URL(endpoint.url).port);
}

async function openSubmissions() {
  const mails: { to: string[]; raw: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password: given }, _session, done) =>
      given === password ? done(null, { user: 'owner' }) : done(Object.assign(new Error('no'), { responseCode: 535 })),
    onData: async (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      mails.push({ to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() });
      done();
    },
  });
  const port = await new Promise<number>((resolve) => {
    const http = server.listen(0, '127.0.0.1', () => resolve((http.address() as { port: number }).port));
  });
  return { server, port, mails };
}

async function answers(port: number): Promise<void> {
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
  throw new Error('Dovecot does not answer');
}

async function asOwner<Result>(
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

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
