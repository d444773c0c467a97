import { expect, test, vi } from 'vitest';
import { type Service, useServices } from '../harness/service.ts';
import { freePort } from '../harness/service-process.ts';
import { openSmtpClient, sendMail } from '../peers/smtp-client.ts';
import { call } from '../worlds/factories.ts';
import { mailOf } from '../worlds/mails.ts';

const smtpPort = await freePort();
// One folder for both tests, so that the second start finds the data of the first.
const { start } = useServices({ SMTP_LISTEN: `127.0.0.1:${smtpPort}`, MAIL_FROM: 'support@kontor.example' });

let last: Service | undefined;

async function signIn(service: Service) {
  const account = { email: 'owner@example.org', password: 'correct horse battery' };
  await call(service, 'POST', '/v1/auth/register', account);
  const { body } = await call(service, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const headers = { authorization: `Bearer ${body.accessToken}`, 'x-workspace-id': body.workspace.id };
  return (path: string) => call(service, 'GET', `/v1/workspaces/${body.workspace.id}${path}`, undefined, headers);
}

test('kill -9 loses no mail that was answered 250, and stores none twice', {
  timeout: 300_000,
}, async () => {
  const first = await start();
  const { address } = (await (await signIn(first))('/mail/inbound-address')).body;
  const answered = new Set<string>();
  let sent = 0;
  const send = async () => {
    while (sent < 200) {
      const subject = `Mail number ${++sent} of many`;
      const raw = mailOf({ headers: { Subject: subject } });
      const answer = await sendMail(smtpPort, { to: [address], raw });
      if (answer.startsWith('250 ')) answered.add(subject);
      if (answered.size === 40) void first.kill();
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  await first.exited;
  expect(answered.size).toBeGreaterThanOrEqual(40);
  expect(answered.size).toBeLessThan(200);

  last = await start();
  const read = await signIn(last);
  await vi.waitFor(async () => {
    const { body } = await read('/tickets?limit=500');
    const subjects = body.map(({ subject }: { subject: string }) => subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect([...answered].filter((subject) => !subjects.includes(subject))).toEqual([]);
  }, 60_000);
});

test('SIGTERM finishes the current mail, and disconnects idle clients', { timeout: 180_000 }, async () => {
  const service = last ?? (await start());
  const { address } = (await (await signIn(service))('/mail/inbound-address')).body;
  const [sender, idle] = [await openSmtpClient(smtpPort), await openSmtpClient(smtpPort)];
  await sender.say('EHLO client.example.org');
  for (const line of ['MAIL FROM:<ann@example.org>', `RCPT TO:<${address}>`, 'DATA']) await sender.say(line);
  sender.send('Subject: The last one\r\n');
  service.process.kill('SIGTERM');
  expect(await idle.answer()).toMatch(/^421 /);
  sender.send('\r\nBye\r\n.\r\n');
  expect(await sender.answer()).toMatch(/^250 /);
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.output()).not.toMatch(/"level":"(error|fatal)"/);
});
