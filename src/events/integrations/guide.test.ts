import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../../test/harness/service-process.ts';
import { newSigningKey, secretOf, signatureHeaders } from './signature.ts';

test('the receiver in the guide accepts only what we sign', async () => {
  const guide = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
  const program = /```js\n(.*?)```/s.exec(guide)?.[1] ?? '';
  const [old, key] = [newSigningKey(), newSigningKey()];
  const port = await freePort();
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secretOf(key), PORT: String(port) };
  const receiver = spawn(process.execPath, ['--input-type=module', '--eval', program], { env });
  try {
    await once(receiver.stdout, 'data');
    const body = JSON.stringify({ type: 'webhook.test', data: { text: 'ü' } });
    const ask = async (headers: Record<string, string>, sent = body) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: sent, headers })).status;
    const now = { id: 'a', at: new Date(), body };
    expect(await ask(signatureHeaders(now, [key]))).toBe(204);
    expect(await ask(signatureHeaders(now, [old, key]))).toBe(204);
    expect(await ask(signatureHeaders(now, [old]))).toBe(401);
    expect(await ask(signatureHeaders(now, [key]), `${body} `)).toBe(401);
    expect(await ask({ ...signatureHeaders(now, [key]), 'webhook-id': 'b' })).toBe(401);
    expect(await ask(signatureHeaders({ ...now, at: new Date(Date.now() - 301_000) }, [key]))).toBe(401);
    expect(await ask({})).toBe(401);
  } finally {
    receiver.kill();
  }
});
