import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';

const house = useHouse({ MAIL_A_WEBHOOK_SECRET: 'the-secret', RATE_LIMIT_PER_MINUTE: '1' });
const graphs = [
  'Validation%3a+Testing+client+application+reachability+for+subscription',
  'Request-Id%3a+0b1f5dd6-1c2d-4a3e-9a36-c4fd4d1a6ae0',
].join('+');
const chinese = '信'.repeat(4_096);

const validate = async (query: string, path = '', init: RequestInit = { method: 'POST' }) => {
  const response = await fetch(`${house.url}/v1/webhooks/mail-a${path}${query}`, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type'), headers: response.headers, bytes };
};

describe.each([
  ['GET', ''],
  ['POST', ''],
  ['GET', '/lifecycle'],
  ['POST', '/lifecycle'],
])('%s /v1/webhooks/mail-a%s', (method, path) => {
  test.each<[string, string, string]>([
    [
      'Graph’s own',
      graphs,
      'Validation: Testing client application reachability for subscription ' +
        'Request-Id: 0b1f5dd6-1c2d-4a3e-9a36-c4fd4d1a6ae0',
    ],
    ['a plain one', 'abc', 'abc'],
    ['blanks as + and as %20, and an escaped +', 'a+b%20c%2Bd%2bd', 'a b c+d+d'],
    ['colons in either case', '%3a%3A', '::'],
    ['UTF-8', '%C3%A9%F0%9F%93%AC', 'é📬'],
    ['HTML', '%3Cscript%3Ealert(1)%3C/script%3E%26amp;', '<script>alert(1)</script>&amp;'],
    ['an invalid escape', '100%&other=1', '100%'],
    ['an equals sign', 'a=b==', 'a=b=='],
    ['line ends', 'a%0D%0Ab', 'a\r\nb'],
    ['4,096 characters', 'x'.repeat(4_096), 'x'.repeat(4_096)],
    ['4,096 characters of three bytes', encodeURIComponent(chinese), chinese],
  ])('echoes %s', async (_what, token, expected) => {
    const { status, type, headers, bytes } = await validate(`?validationToken=${token}`, path, { method });
    expect([status, type, bytes.toString()]).toEqual([200, 'text/plain; charset=utf-8', expected]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each<[string, string]>([
    ['4,097 characters', `?validationToken=${'x'.repeat(4_097)}`],
    ['4,097 characters of three bytes', `?validationToken=${encodeURIComponent(`${chinese}信`)}`],
    ['U+0000', '?validationToken=a%00b'],
    ['no token', ''],
    ['an empty token', '?validationToken='],
    ['another parameter', '?validationtokens=a'],
  ])('refuses %s', async (_what, query) => {
    const { status, bytes } = await validate(query, path, { method });
    const body = JSON.parse(bytes.toString());
    expect([status, body.key, body.params.issues[0].path]).toEqual([400, 'request.invalid', 'query.validationToken']);
  });
});

test('a repeated token is refused', async () => {
  expect((await validate('?validationToken=a&validationToken=b')).status).toBe(400);
});

test('bytes that are not UTF-8 come back unchanged', async () => {
  const { bytes } = await validate('?validationToken=a%FF%C3b');
  expect([...bytes]).toEqual([0x61, 0xff, 0xc3, 0x62]);
});

test('the token is found after an existing query of our address', async () => {
  expect((await validate('?tenant=1&validationToken=abc')).bytes.toString()).toBe('abc');
});

test('the token is echoed whatever else the request holds: types, bodies, credentials', async () => {
  for (const [type, body] of [
    ['text/plain; charset=utf-8', ''],
    ['text/plain', 'a=b'],
    ['application/json', '{'],
    ['application/xml', '<a/>'],
    ['nonsense', 'x'],
  ] as const) {
    const headers = { 'content-type': type, authorization: 'Bearer nonsense', 'x-webhook-secret': 'wrong' };
    for (const path of ['', '/lifecycle']) {
      const { status, bytes } = await validate('?validationToken=abc', path, { method: 'POST', headers, body });
      expect([type, status, bytes.toString()]).toEqual([type, 200, 'abc']);
    }
  }
});
