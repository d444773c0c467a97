import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommandLine, type Ran } from '../harness/command-line.ts';
import { useHouse } from '../harness/harness.ts';
import { givePassword, makeOwner, type Person } from '../worlds/factories.ts';
import { putMailbox } from '../worlds/put-mailbox.ts';

const house = useHouse();
const password = 'a long enough secret';
const commandLine = await openCommandLine();
const { folder, kontor, profileFile } = commandLine;
afterAll(commandLine.remove);

let owner: Person;
beforeAll(async () => {
  owner = await givePassword(house, await makeOwner(house), password);
});

/** Each command is a process. */
const patienceMs = 180_000;

const json = ({ out }: Ran): any[] =>
  out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const readProfile = async () => JSON.parse(await readFile(profileFile, 'utf8'));

describe('before somebody has signed in', () => {
  test.each<[string, string[], number, RegExp]>([
    ['a command that needs a person', ['tickets', 'list'], 3, /Sign in first: "kontor login"/],
    ['an unknown command', ['ticket', 'list'], 2, /no command "kontor ticket".*tickets/s],
    ['an unknown option', ['tickets', 'list', '--colour'], 2, /--colour.*usage: kontor tickets list/s],
    ['a service that is away', ['login', '--url', 'http://127.0.0.1:1', '--email', 'a@example.org'], 5, /could not be/],
    ['an address that is none', ['login', '--url', 'ftp://x', '--email', 'a@example.org'], 2, /begins with https/],
  ])('%s has its exit code and a sentence', async (_name, words, code, sentence) => {
    const ran = await kontor(words);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toMatch(sentence);
    expect(ran.err).not.toContain('    at ');
  });

  test('the help shows every command', async () => {
    const { code, out } = await kontor(['help']);
    expect(code).toBe(0);
    for (const name of ['login', 'tickets answer', 'tickets close', 'export', 'api'])
      expect(out).toContain(`kontor ${name}`);
  });

  test('a key in the environment needs no profile', async () => {
    const { body } = await owner.call('POST', '/api-keys', { name: 'Command line', role: 'agent' });
    const env = { KONTOR_URL: house.url, KONTOR_KEY: body.secret, KONTOR_WORKSPACE: owner.workspaceId };
    expect(json(await kontor(['whoami', '--json'], { env }))).toEqual([
      { url: house.url, workspaceId: owner.workspaceId, email: null, kind: 'key' },
    ]);
    const refused = await kontor(['tickets', 'list'], { env: { ...env, KONTOR_KEY: 'kontor_wrong' } });
    expect(refused).toMatchObject({ code: 3, out: '' });
  });
});

describe('once signed in', () => {
  beforeAll(async () => {
    const ran = await kontor(['login', '--url', house.url, '--email', owner.email], { input: `${password}\n` });
    expect(ran).toMatchObject({ code: 0, out: '' });
  });

  test('the profile is for its owner alone, and has no password', async () => {
    expect((await stat(profileFile)).mode & 0o777).toBe(0o600);
    expect((await stat(join(profileFile, '..'))).mode & 0o777).toBe(0o700);
    expect(await readFile(profileFile, 'utf8')).not.toContain(password);
    expect(await readProfile()).toMatchObject({ url: house.url, workspaceId: owner.workspaceId });
  });

  test('a profile is for one service, and is closed to others again', async () => {
    const elsewhere = await kontor(['tickets', 'list', '--url', 'https://staging.example.org']);
    expect(elsewhere).toMatchObject({ code: 2, out: '' });
    expect(elsewhere.err).toContain(`The profile "default" is signed in to ${house.url}`);
    await chmod(profileFile, 0o644);
    const { code, err } = await kontor(['whoami', '--url', `${house.url}/`]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`Others could read ${profileFile}`) });
    expect((await stat(profileFile)).mode & 0o777).toBe(0o600);
    await writeFile(join(profileFile, '../damaged.json'), '{"url":');
    expect(await kontor(['whoami', '--profile', 'damaged'])).toMatchObject({ code: 3, out: '' });
  });

  test(
    'a ticket goes from its opening to its closing',
    async () => {
      const words = ['--subject', 'The printer hums', '--requester', 'Bob <bob@example.com>', '--tag', 'printer'];
      expect(await kontor(['tickets', 'create', ...words], { input: 'It has been humming since Monday.\n' })).toEqual({
        code: 0,
        out: 'Opened ticket #1.\n',
        err: '',
      });
      await writeFile(join(folder, 'fan.txt'), 'A picture of the fan.');
      const answer = ['tickets', 'answer', '1', 'It is the fan.', '--attach', join(folder, 'fan.txt'), '--close'];
      expect((await kontor(answer)).out).toBe('Answered ticket #1.\n');
      expect((await kontor(['tickets', 'note', '#1', '-'], { input: 'Order a fan.' })).out).toContain(
        'note to ticket #1',
      );
      await kontor(['tickets', 'reopen', '1']);
      await kontor(['tickets', 'tag', '1', '--add', 'fan', '--remove', 'printer']);
      expect(json(await kontor(['tickets', 'assign', '1', '--to', 'me', '--json']))).toMatchObject([
        {
          ticketNumber: 1,
          status: 'open',
          assigneeId: owner.userId,
          tags: ['fan'],
          requester: { email: 'bob@example.com' },
        },
      ]);
      const { out } = await kontor(['tickets', 'show', '1']);
      expect(out).toMatch(/^#1 +open +owner-\w+@\S* +\d{4}-\d\d-\d\d \d\d:\d\d {2}Bob: The printer hums {2}fan\n\nBob/);
      expect(out).toContain('It is the fan.\n[fan.txt, 21 bytes]');
      expect(out).toContain('(note)');
      const [ticket] = json(await kontor(['tickets', 'show', '1', '--json']));
      expect(ticket.messages).toMatchObject([
        { direction: 'inbound', body: 'It has been humming since Monday.' },
        { direction: 'outbound', body: 'It is the fan.', to: ['bob@example.com'], delivery: { status: 'queued' } },
        { direction: 'internal', isInternal: true },
      ]);
      await kontor(['tickets', 'close', '1', '--reason', 'It was the fan']);
      expect(json(await kontor(['tickets', 'list', '--status', 'closed', '--json']))).toMatchObject([
        { ticketNumber: 1 },
      ]);
      expect(await kontor(['tickets', 'list', '--status', 'open'])).toMatchObject({ code: 0, out: '' });
    },
    patienceMs,
  );

  test('faults of the service have their exit codes, also as JSON', async () => {
    expect(await kontor(['tickets', 'show', '4711'])).toMatchObject({ code: 4, out: '' });
    const { code, out, err } = await kontor(['tickets', 'list', '--status', 'opened', '--json']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { key: 'request.invalid', status: 400 } });
  });

  test("a stranger's text gives no orders to the terminal", async () => {
    const evil = '\x1b]0;owned\x07\x9b2J\u202etxt';
    await owner.call('POST', '/tickets', { subject: `Evil ${evil}`, body: `Body ${evil}` });
    const shown = [await kontor(['tickets', 'list', '--search', 'evil']), await kontor(['tickets', 'show', '2'])];
    shown.push(await kontor(['tickets', 'show', '2', '--json']));
    for (const { code, out } of shown) {
      expect(code).toBe(0);
      expect(out).toContain('Evil');
      expect(out).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }
  });

  test(
    'any operation can be called by its name',
    async () => {
      const listed = await kontor(['api']);
      expect(listed.out).toMatch(/^listTickets +List, filter and search tickets$/m);
      const found = await kontor(['api', 'listTickets', 'status=open', 'status=pending', 'limit=1']);
      expect(JSON.parse(found.out)).toMatchObject([{ ticketNumber: 2 }]);
      const body = JSON.stringify({ name: 'Mine', query: { assignee: 'me' } });
      expect(JSON.parse((await kontor(['api', 'createView', '--body', '-'], { input: body })).out)).toMatchObject({
        name: 'Mine',
      });
      const [{ messages }] = json(await kontor(['tickets', 'show', '1', '--json']));
      const file = `attachmentId=${messages[1].attachments[0].id}`;
      const { out } = await kontor(['api', 'downloadAttachment', file]);
      expect(out).toBe('A picture of the fan.');
      expect(await kontor(['api', 'readTicket'])).toMatchObject({ code: 2, err: expect.stringContaining('ticketId') });
    },
    patienceMs,
  );

  test('an export has tickets, messages, events and files, and a second one takes only what is new', async () => {
    const into = join(folder, 'export');
    const first = await kontor(['export', into, '--files', '--json']);
    expect(json(first)).toEqual([{ folder: into, tickets: 2, files: 1 }]);
    const lines = (await readFile(join(into, 'tickets.jsonl'), 'utf8')).trim().split('\n');
    const tickets = lines.map((line) => JSON.parse(line));
    const printer = tickets.find(({ ticketNumber }) => ticketNumber === 1);
    expect(printer.messages).toHaveLength(3);
    expect(printer.events.map(({ type }: { type: string }) => type)).toContain('ticket.assigned');
    const [file] = printer.messages[1].attachments;
    expect(await readFile(join(into, 'files', file.sha256), 'utf8')).toBe('A picture of the fan.');
    const modes = ['', 'files', `files/${file.sha256}`].map(
      async (name) => (await stat(join(into, name))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
    expect(await readFile(join(into, 'contacts.jsonl'), 'utf8')).toContain('bob@example.com');
    expect(json(await kontor(['export', into, '--files', '--json']))).toEqual([{ folder: into, tickets: 2, files: 0 }]);
  });

  test('a mail goes out through the mailbox that the person names', async () => {
    const create = [
      'tickets',
      'create',
      '--subject',
      'Hello',
      '--requester',
      'bob@example.com',
      '--mail',
      'Hello Bob.',
    ];
    expect(await kontor(create)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/to a file, and nobody gets it/),
    });
    const { workspaceId } = owner;
    const mailbox = { workspaceId, provider: 'mail-a', address: 'help@example.org', refreshToken: 'none' } as const;
    const { id } = await putMailbox(house, mailbox);
    const ran = await kontor([...create, '--mailbox', 'Help@example.org', '--json']);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(json(ran)).toMatchObject([{ mailboxId: id }]);
    const unknown = await kontor([...create, '--mailbox', 'sales@example.org']);
    expect(unknown).toMatchObject({ code: 2, out: '', err: expect.stringContaining('It has: help@example.org.') });
  });

  test('commands that run at the same time refresh the session in turn', async () => {
    const profile = await readProfile();
    await writeFile(profileFile, JSON.stringify({ ...profile, session: { ...profile.session, expiresAt: 0 } }));
    const ran = await Promise.all(Array.from({ length: 4 }, () => kontor(['whoami', '--json'])));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await kontor(['whoami', '--json'])).toMatchObject({ code: 0 });
    const after = await readProfile();
    expect(after.session.refreshToken).not.toBe(profile.session.refreshToken);
  });

  test('a sign-out ends the session at the service, and removes the profile', async () => {
    const { session } = await readProfile();
    expect(await kontor(['logout'])).toMatchObject({ code: 0, err: 'Signed out.\n' });
    expect(await stat(profileFile).catch(({ code }) => code)).toBe('ENOENT');
    const answer = await fetch(`${house.url}/v1/me`, { headers: { authorization: `Bearer ${session.accessToken}` } });
    expect(answer.status).toBe(401);
  });
});

test.each<[NodeJS.Signals, number]>([
  ['SIGTERM', 143],
  ['SIGINT', 130],
])('below a Node that cannot run its sources, %s ends the command', async (signal, code) => {
  const { body } = await owner.call('POST', '/api-keys', { name: signal, role: 'agent' });
  const env = { KONTOR_URL: house.url, KONTOR_KEY: body.secret, KONTOR_WORKSPACE: owner.workspaceId };
  const child = commandLine.start(['events'], { env, flags: ['--no-strip-types'] });
  child.stdout.once('data', () => child.kill(signal));
  const closed = once(child, 'close');
  await expect
    .poll(async () => {
      await owner.call('POST', '/tickets', { subject: 'Stop', body: 'now' });
      return child.exitCode ?? child.signalCode;
    })
    .not.toBeNull();
  // Closed once the command itself has ended, too.
  expect(await closed).toEqual([code, null]);
});

test('a profile that cannot be written is a sentence', async () => {
  await writeFile(join(folder, 'a-file'), '');
  const env = { KONTOR_CONFIG: join(folder, 'a-file') };
  const ran = await kontor(['login', '--url', house.url, '--email', owner.email], { input: `${password}\n`, env });
  expect(ran.code).toBe(1);
  expect(ran.err).not.toContain('    at ');
});
