import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { KontorError } from './error.ts';
import { verifyWebhook } from './webhook.ts';

const secret = `whsec_${Buffer.from('a secret of the webhook').toString('base64')}`;
const signer = new Webhook(secret);
const body = JSON.stringify({ type: 'webhook.test', data: { text: 'ü' } });

function signed({ id = 'msg_1', at = new Date(), text = body } = {}): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signer.sign(id, at, text),
  };
}

/** What both verifiers say of a request. */
async function verdicts(headers: Record<string, string>, text: string) {
  const own = await verifyWebhook(secret, headers, text).then(
    () => 'accepted',
    (error: unknown) => (error instanceof KontorError || error instanceof SyntaxError ? 'refused' : String(error)),
  );
  try {
    signer.verify(text, headers);
    return { own, standard: 'accepted' };
  } catch {
    return { own, standard: 'refused' };
  }
}

test('a signed request gives its event, as text, as bytes and with headers of any kind', async () => {
  const headers = signed();
  const event = { type: 'webhook.test', data: { text: 'ü' } };
  expect(await verifyWebhook(secret, headers, body)).toEqual(event);
  expect(await verifyWebhook(secret, new Headers(headers), new TextEncoder().encode(body))).toEqual(event);
  const capital = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  expect(await verifyWebhook(secret.slice('whsec_'.length), capital, body)).toEqual(event);
});

test('a request that is not authentic is one error', async () => {
  const refused = verifyWebhook(secret, signed(), `${body} `);
  await expect(refused).rejects.toMatchObject({ name: 'KontorError', key: 'webhook.unverified', status: 401 });
  await expect(verifyWebhook('whsec_', signed(), body)).rejects.toThrow('empty');
});

/** Ways to change the signature header, the time, the id and the body. */
const changes = fc.record({
  signature: fc.constantFrom<((text: string) => string)[]>(
    (text) => text,
    (text) => `v1,bm9uZQ== ${text}`,
    (text) => text.replace('v1,', 'v2,'),
    (text) => text.replace('v1,', 'v1a,'),
    (text) => text.replace('=', ''),
    (text) => `${text},more`,
    (text) => `${text} `,
    (text) => text.toLowerCase(),
    () => 'v1',
    () => '',
  ),
  seconds: fc.constantFrom(0, -299, -302, 299, 302),
  time: fc.constantFrom<((text: string) => string)[]>(
    (text) => text,
    (text) => `${text}.5`,
    (text) => `${text}x`,
    (text) => ` ${text}`,
    () => 'now',
    () => '',
  ),
  isOtherBody: fc.boolean(),
  isOtherId: fc.boolean(),
});

test('whatever is changed, the client accepts and refuses what the standard library does', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(changes, async ({ signature, seconds, time, isOtherBody, isOtherId }) => {
      const headers = signed({ at: new Date(Date.now() + seconds * 1_000) });
      headers['webhook-signature'] = signature(headers['webhook-signature'] ?? '');
      headers['webhook-timestamp'] = time(headers['webhook-timestamp'] ?? '');
      if (isOtherId) headers['webhook-id'] = 'msg_2';
      const { own, standard } = await verdicts(headers, isOtherBody ? `${body} ` : body);
      expect(own).toBe(standard);
      if (own === 'accepted') accepted++;
    }),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(5);
});
