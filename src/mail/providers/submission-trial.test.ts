import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { tryToSubmit } from './submission-trial.ts';

test('a server that greets without an end is given up', async () => {
  const endless = createServer((client) => {
    client.on('error', () => undefined);
    client.write('220 mail.example\r\n');
    const timer = setInterval(() => client.write('250-MORE\r\n'), 20);
    client.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void endless.close());
  const { port } = endless.address() as AddressInfo;
  const server = {
    host: '127.0.0.1',
    port,
    security: 'none',
    username: 'ann',
    secret: { password: 'secret' },
  } as const;
  const outcome = await tryToSubmit(server, 'ann@example.org', 300);
  expect(outcome).toMatchObject({ step: 'login', permanent: false, reason: 'The server answers without an end.' });
});
