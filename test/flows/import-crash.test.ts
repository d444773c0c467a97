import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Service, useServices } from '../harness/service.ts';
import { formWith } from '../harness/uploads.ts';
import { call } from '../worlds/factories.ts';
import { mailOf } from '../worlds/mails.ts';

const { dataDir, start } = useServices({ LOG_LEVEL: 'warn' });

/** Some batches, so that the work is under way when the service dies. */
const mailsMax = 300;
const mbox = Array.from({ length: mailsMax }, (_, at) => {
  const mail = mailOf({ headers: { Subject: `Old ${at}`, 'Message-ID': `<${at}@old.example>` } });
  return `From x Thu Jan  1 00:00:00 2026\n${mail}\n`;
}).join('');
const form = formWith('Content-Disposition: form-data; name="file"; filename="Old.mbox"', mbox);

test('kill -9 amid an upload and amid an import: it goes on, and no mail counts twice', {
  timeout: 420_000,
}, async () => {
  const first = await start();
  const account = { email: 'owner@example.org', password: 'correct horse battery' };
  await call(first, 'POST', '/v1/auth/register', account);
  const { body: session } = await call(first, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const imports = `/v1/workspaces/${session.workspace.id}/imports`;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': session.workspace.id };
  const ofForm = { ...headers, 'content-type': 'multipart/form-data; boundary=the-boundary' };

  const half = request(`${first.url}${imports}`, {
    method: 'POST',
    headers: { ...ofForm, 'content-length': form.length },
  });
  half.on('error', () => {});
  await new Promise<unknown>((resolve) => half.write(form.subarray(0, form.length / 2), resolve));
  await first.kill();
  half.destroy();

  const second = await start();
  expect((await call(second, 'GET', imports, undefined, headers)).body).toEqual([]);
  const posted = await fetch(`${second.url}${imports}?status=closed`, {
    method: 'POST',
    headers: ofForm,
    body: Buffer.from(form),
  });
  const { id } = (await posted.json()) as { id: string };
  const read = async (service: Service) => (await call(service, 'GET', `${imports}/${id}`, undefined, headers)).body;
  // Dies as soon as the work has begun.
  while ((await read(second)).read === 0) await sleep(2);
  const amid = await read(second);
  await second.kill();
  expect(amid.state).toBe('running');
  expect(amid.read).toBeLessThan(mailsMax);

  const third = await start();
  await expect.poll(async () => (await read(third)).state, { timeout: 180_000 }).toBe('done');
  expect(await read(third)).toMatchObject({ read: mailsMax, imported: mailsMax, known: 0, tickets: mailsMax });
  const tickets = await call(
    third,
    'GET',
    `/v1/workspaces/${session.workspace.id}/tickets?count=true&limit=1`,
    undefined,
    headers,
  );
  expect(tickets.headers.get('x-total-count')).toBe(String(mailsMax));
  const kept = await readdir(join(dataDir(), 'blobs'), { recursive: true });
  await expect.poll(() => kept.filter((path) => path.endsWith('.import'))).toEqual([]);
});
