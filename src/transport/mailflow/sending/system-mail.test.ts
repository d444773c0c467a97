import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { mailsTo } from '../../../../test/harness/links.ts';
import { call, givePassword, inventedId, makeOwner } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { openLog } from '../../../ground/platform/log.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { sendSystemMail } from './system-mail.ts';

const house = useHouse({ EMAIL_VERIFICATION: 'required', MAIL_FROM: 'Acme Desk <desk@acme.example>' });
const password = 'correct horse battery';

async function register(email: string): Promise<UserId> {
  await call(house, 'POST', '/v1/auth/register', { email, password });
  const { id } = await house.app.db.one<{ id: UserId }>(sql`select id from users where email = ${email}`);
  return id;
}

test('a mail is automatic, plain text, from the address set, its link alone on a line', async () => {
  await register('plain@example.org');
  const [mail] = await mailsTo(house, 'plain@example.org');
  const headers = new Map(mail?.headers.map(({ name, value }) => [name, value]));
  expect(mail?.from).toEqual({ name: 'Acme Desk', email: 'desk@acme.example' });
  expect(headers.get('auto-submitted')).toBe('auto-generated');
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  expect(headers.get('content-transfer-encoding')).toMatch(/^(7bit|quoted-printable)$/);
  expect(mail?.messageId).toMatch(/@acme\.example$/);
  expect(mail?.text).toMatch(/^http:\/\/localhost:3000\/verify-email\?token=[\w-]{43}$/m);
});

test('no token is stored in the clear, in the tables or the queue', async () => {
  await register('hashed@example.org');
  const jobs = await house.app.db.rows<{ payload: object }>(sql`
    select payload from graphile_worker._private_jobs where payload->>'kind' = 'verify-email'`);
  expect(jobs.map(({ payload }) => Object.keys(payload).sort())).toEqual([['correlationId', 'kind', 'userId']]);
  const [mail] = await mailsTo(house, 'hashed@example.org');
  const token = /token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
  const kept = await house.app.db.rows(sql`
    select 1 from link_tokens
    where encode(token_hash, 'escape') = ${token}
      or token_hash = decode(${token.replaceAll('-', '+').replaceAll('_', '/')} || '=', 'base64')`);
  expect(kept).toEqual([]);
});

test('a job that runs twice sends two mails, and both links work until one is used', async () => {
  const userId = await register('again@example.org');
  await sendSystemMail(house.app, { kind: 'verify-email', userId });
  const mails = await mailsTo(house, 'again@example.org');
  const tokens = mails.map(({ text }) => /token=(\S+)/.exec(text)?.[1]);
  expect(new Set(tokens).size).toBe(2);
  const verify = (token: string | undefined) => call(house, 'POST', '/v1/auth/verify-email', { token });
  expect((await verify(tokens[0])).status).toBe(200);
  expect((await verify(tokens[1])).status).toBe(410);
});

test('the log shows a link of the outbox, and none that a mail server accepted', async () => {
  const userId = await register('logged@example.org');
  const loggedOf = async (mail: Partial<typeof house.app.config.mail>): Promise<string> => {
    const lines: string[] = [];
    const log = openLog('info', { write: (line) => lines.push(line) });
    const config = { ...house.app.config, mail: { ...house.app.config.mail, ...mail } as typeof house.app.config.mail };
    await sendSystemMail({ ...house.app, log, config }, { kind: 'verify-email', userId });
    return lines.join('');
  };
  const logged = await loggedOf({ kind: 'outbox' });
  expect(logged).toMatch(/"link":"http:\/\/localhost:3000\/verify-email\?token=[\w-]{43}"/);
  expect(logged).not.toContain('logged@example.org');
  expect(await loggedOf({ kind: 'smtp' })).toBe('');
});

test('a mail that is no longer wanted is not sent', async () => {
  const verified = await makeOwner(house);
  const unknown = inventedId<UserId>('00000000-0000-7000-8000-000000000000');
  await sendSystemMail(house.app, { kind: 'verify-email', userId: verified.userId });
  await sendSystemMail(house.app, { kind: 'verify-email', userId: unknown });
  await sendSystemMail(house.app, { kind: 'address-taken', userId: unknown });
  await sendSystemMail(house.app, { kind: 'invitation', workspaceId: verified.workspaceId, inviteId: unknown });
  expect(await mailsTo(house, verified.email)).toEqual([]);
});

test('a change that is rolled back sends nothing', async () => {
  const userId = await register('undone@example.org');
  await house.drain();
  const undone = house.app.db.tx(async (tx) => {
    await enqueue(tx, 'system-mail.send', { kind: 'address-taken', userId });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await mailsTo(house, 'undone@example.org')).toHaveLength(1);
});

test('names cannot inject header lines, or links on a line of their own', async () => {
  const owner = await makeOwner(house, 'Evil\r\nBcc: all@example.org\r\n\r\nhttp://evil.example/');
  await owner.call('POST', '/invites', { email: 'header@example.org', role: 'agent' });
  const [mail] = await mailsTo(house, 'header@example.org');
  expect(mail?.headers.filter(({ name }) => name === 'bcc')).toEqual([]);
  expect(mail?.text.match(/^http\S+$/gm)).toHaveLength(1);
});

test('a temporary refusal is retried, a permanent one ends the job', async () => {
  const userId = await register('refused@example.org');
  await house.drain();
  const order = { kind: 'address-taken', userId } as const;
  const answering = (permanent: boolean) => ({
    ...house.app,
    systemMail: {
      send: async () => ({ ok: false as const, permanent, code: '550', reason: '550 no' }),
      close: async () => {},
    },
  });
  await expect(sendSystemMail(answering(false), order)).rejects.toThrow('for now');
  await expect(sendSystemMail(answering(true), order)).resolves.toBeUndefined();
});

test('a full or broken outbox fails the job, and the mail goes out later', async () => {
  const outbox = join(house.dataDir, 'outbox');
  await rm(outbox, { recursive: true, force: true });
  await writeFile(outbox, 'in the way');
  await register('later@example.org');
  await house.drain();
  await rm(outbox);
  await house.app.db.tx((tx) =>
    tx.run(sql`update graphile_worker._private_jobs set run_at = now() where attempts > 0`),
  );
  expect(await mailsTo(house, 'later@example.org')).toHaveLength(1);
});

test('a person whose address a stranger registered first is led to set a new password', async () => {
  const userId = await register('taken@example.org');
  await register('taken@example.org');
  const [, stranger] = await mailsTo(house, 'taken@example.org');
  expect(stranger?.text).toContain('forgot password');
  expect(stranger?.text).not.toContain('sign in with your password');
  await house.app.db.tx((tx) => tx.run(sql`update users set email_verified_at = ${tx.now} where id = ${userId}`));
  await sendSystemMail(house.app, { kind: 'address-taken', userId });
  const [, , own] = await mailsTo(house, 'taken@example.org');
  expect(own?.text).toContain('sign in with your password');
});

test('the mail about a linked identity says how a new password shuts it out', async () => {
  const { userId, email } = await makeOwner(house);
  await sendSystemMail(house.app, { kind: 'sign-in-changed', userId, change: 'identity-linked' });
  const [mail] = await mailsTo(house, email);
  expect(mail?.text).toMatch(
    /forgot password[\s\S]*also removes your API keys and the accounts elsewhere that sign you in/,
  );
});

test('mails are in the language that the person chose, else in that of their browser', async () => {
  const email = 'german@example.org';
  const browser = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
  await call(house, 'POST', '/v1/auth/register', { email, password }, browser);
  await call(house, 'POST', '/v1/auth/forgot-password', { email });
  const mails = await mailsTo(house, email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Bestätigen Sie Ihre E-Mail-Adresse', 'Neues Passwort setzen']);
  await house.app.db.tx((tx) =>
    tx.run(sql`update users set preferences = preferences || '{"locale":"en-GB"}' where email = ${email}`),
  );
  await call(house, 'POST', '/v1/auth/register', { email, password }, browser);
  expect((await mailsTo(house, email)).at(-1)?.subject).toBe('You already have an account');
});

test('a sign-in from a browser in another language changes the language of mails', async () => {
  const { email } = await givePassword(house, await makeOwner(house), password);
  const signIn = (headers: Record<string, string>) =>
    call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password }, headers);
  const language = async () =>
    (await house.app.db.one<{ language: string }>(sql`select language from users where email = ${email}`)).language;
  await signIn({ 'accept-language': 'de' });
  expect(await language()).toBe('de');
  await signIn({});
  expect(await language()).toBe('de');
  await signIn({ 'accept-language': 'en-US' });
  expect(await language()).toBe('en');
});
