/** A real Cyrus IMAP server (Debian's cyrus-common and cyrus-imapd), and an SMTP server that keeps its mail. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { answers, asOwner, freePort, openSubmissions, password, stop } from './dovecot.ts';

const master = '/usr/sbin/cyrmaster';
/** Debian lets only one IMAP server be installed, so a script puts these programs beside Dovecot. */
const folders = ['/usr/local/lib/cyrus', '/usr/lib/cyrus/bin'];
const programs = folders.find((folder) => existsSync(join(folder, 'imapd')));
const passwords = '/usr/sbin/saslpasswd2';
/** Cyrus starts as root, and then works as a user of its own. */
export const hasCyrus =
  programs !== undefined && existsSync(master) && existsSync(passwords) && process.getuid?.() === 0;

const settings = (folder: string) => `
configdirectory: ${folder}/conf
partition-default: ${folder}/spool
defaultpartition: default
admins: admin
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${folder}/sasldb2
sasl_mech_list: PLAIN
virtdomains: userid
defaultdomain: localhost
unixhierarchysep: yes
altnamespace: yes
delete_mode: immediate
autocreate_quota: 0
autocreate_post: 1
autocreate_inbox_folders: Sent | Junk | Trash
xlist-sent: Sent
proc_path: ${folder}/run/proc
mboxname_lockpath: ${folder}/run/lock
idlesocket: ${folder}/run/idle
notifysocket: ${folder}/run/notify
lmtpsocket: ${folder}/run/lmtp
servername: localhost
`;

const services = (folder: string, port: number) => `
START {
}
SERVICES {
  imap cmd="${programs}/imapd -C ${folder}/imapd.conf" listen="127.0.0.1:${port}" prefork=0 maxchild=200
}
EVENTS {
}
DAEMON {
  idled cmd="${programs}/idled -C ${folder}/imapd.conf"
}
`;

/** The SMTP server files a copy of each mail in its sender's mailbox. */
export async function openCyrus() {
  const folder = mkdtempSync(join(tmpdir(), 'cyrus-'));
  chmodSync(folder, 0o755);
  for (const name of ['conf', 'spool', 'run']) mkdirSync(join(folder, name));
  const imapPort = await freePort();
  writeFileSync(join(folder, 'imapd.conf'), settings(folder));
  writeFileSync(join(folder, 'cyrus.conf'), services(folder, imapPort));
  addUser(folder, 'admin@localhost');
  run('chown', ['-R', 'cyrus:mail', folder]);
  const files = ['-C', join(folder, 'imapd.conf'), '-M', join(folder, 'cyrus.conf'), '-p', join(folder, 'run', 'pid')];
  // At its end, the program signals its whole process group.
  const child = spawn(master, [...files, '-D'], { stdio: 'ignore', detached: true });
  const { server, port, mails } = await openSubmissions((address, raw) =>
    asOwner(imapPort, address, async (client) => {
      await client.append('Sent', raw, ['\\Seen']);
    }),
  );
  await answers(imapPort);
  const end = (at: number) => ({ host: '127.0.0.1', port: at, security: 'none' as const });
  return {
    imap: end(imapPort),
    smtp: end(port),
    /** The mails that were sent, oldest first. */
    mails,
    /** @returns its password */
    addMailbox: (address: string) => {
      addUser(folder, address);
      return password;
    },
    as: <Result>(address: string, work: (client: ImapFlow) => Promise<Result>) => asOwner(imapPort, address, work),
    /** Deletes the mailbox and makes it again with the same mails, as a server does that is moved. */
    renumber: (address: string) => renumber(imapPort, address),
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function run(program: string, args: string[], input = ''): void {
  const { status, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

function addUser(folder: string, address: string): void {
  const [user = '', domain = ''] = address.split('@');
  run(passwords, ['-p', '-c', '-f', join(folder, 'sasldb2'), '-u', domain, user], password);
}

/** Commands for which the library has no method. */
type Raw = { exec(command: string, attributes: { type: string; value: string }[]): Promise<{ next(): void }> };

async function renumber(port: number, address: string): Promise<void> {
  const kept = await asOwner(port, address, async (client) => {
    await client.mailboxOpen('INBOX');
    const mails: { source: Buffer; flags: string[]; at: Date }[] = [];
    for await (const { source, flags, internalDate } of client.fetch('1:*', {
      source: true,
      flags: true,
      internalDate: true,
    }))
      mails.push({
        source: source ?? Buffer.alloc(0),
        flags: [...(flags ?? [])].filter((flag) => flag !== '\\Recent'),
        at: new Date(internalDate ?? 0),
      });
    return mails;
  });
  const auth = { user: 'admin', pass: password };
  const admin = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false });
  admin.on('error', () => undefined);
  await admin.connect();
  const name = { type: 'STRING', value: `user/${address}` };
  const { exec } = admin as unknown as Raw;
  const response = await exec.call(admin, 'SETACL', [
    name,
    { type: 'ATOM', value: 'admin' },
    { type: 'ATOM', value: 'lrswipkxtea' },
  ]);
  response.next();
  await admin.mailboxDelete(`user/${address}`);
  await admin.logout();
  await asOwner(port, address, async (client) => {
    for (const { source, flags, at } of kept) await client.append('INBOX', source, flags, at);
  });
}
