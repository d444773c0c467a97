import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type KeyPair, makeKeyPair, signToken } from '../../../emulators/identity-token.ts';
import { forgedTokens } from '../../../test/peers/forged-tokens.ts';
import { useIdentityHouse } from '../../../test/worlds/identity-house.ts';
import { makeRoutedMailbox, post, takeJobs } from '../../../test/worlds/webhook-house.ts';
import { sql } from '../../ground/database/sql.ts';

const audience = 'https://kontor.example.org/v1/webhooks/mail-b?from=gmail';
const account = 'push@kontor.iam.gserviceaccount.com';
const google = 'https://accounts.google.com';
const common = { MAIL_B_PUSH_AUDIENCE: audience, RATE_LIMIT_PER_MINUTE: '1' };
const house = useIdentityHouse(({ url }) => ({
  ...common,
  MAIL_B_PUSH_JWKS_URI: `${url}/oauth2/v3/certs`,
  MAIL_B_PUSH_SERVICE_ACCOUNT: account,
}));
const anyAccount = useIdentityHouse(({ url }) => ({ ...common, MAIL_B_PUSH_JWKS_URI: `${url}/oauth2/v3/certs` }));

let foreign: KeyPair;
let short: KeyPair;
let mailbox: { mailboxId: string };
let syncs: string[];

beforeAll(async () => {
  foreign = makeKeyPair();
  short = makeKeyPair('short', 1_024);
  mailbox = await makeRoutedMailbox(house, 'mail-b', 'ada@example.org');
  syncs = [`mailbox.sync:${mailbox.mailboxId}`, `mailbox.sync:${mailbox.mailboxId}:again`];
  house.providers.publish(
    'google',
    [...house.providers.keysOf('google'), short].map(({ jwk }) => jwk),
  );
});
afterEach(() => takeJobs(house));

type Order = Omit<Parameters<typeof house.providers.mint>[0], 'family'>;
const mintFor =
  ({ providers }: Pick<typeof house, 'providers'>) =>
  ({ claims, ...rest }: Order = {}) =>
    providers.mint({
      family: 'google',
      ...rest,
      claims: { iss: google, aud: audience, azp: '1137', sub: '1137', email: account, ...claims },
    });
const mint = (order?: Order) => mintFor(house)(order);
const pair = () => house.providers.keysOf('google')[0] as KeyPair; // it has one
const now = () => Math.floor(house.clock.now().getTime() / 1000);
const told = { emailAddress: 'ada@example.org', historyId: 9876543210 };
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const envelope = (data: unknown = base64(told)) => ({
  message: {
    data,
    messageId: '2070443601311540',
    message_id: '2070443601311540',
    publishTime: '2026-11-20T10:00:00.123Z',
    publish_time: '2026-11-20T10:00:00.123Z',
  },
  subscription: 'projects/kontor/subscriptions/push',
});
const push = (body: unknown, token = mint()) => post(house, '/mail-b', body, { authorization: `Bearer ${token}` });

describe('a good token lets a push in', () => {
  test.each<[string, () => string]>([
    ['as Google makes it', () => mint()],
    ['with the issuer’s other spelling', () => mint({ claims: { iss: 'accounts.google.com' } })],
    ['with email_verified as text', () => mint({ claims: { email_verified: 'true' } })],
    ['an hour after it was made', () => mint({ claims: { iat: now() - 3_590, exp: now() + 10 } })],
    ['a minute past its end', () => mint({ claims: { exp: now() - 55 } })],
    ['of a clock that is ahead', () => mint({ claims: { iat: now() + 55, nbf: now() + 55 } })],
    [
      'with nothing that may be missing',
      () => mint({ header: { typ: undefined }, claims: { azp: undefined, iat: undefined } }),
    ],
  ])('%s', async (_what, token) => {
    const { status, text } = await push(envelope(), token());
    expect([status, text]).toEqual([202, '']);
    expect(await takeJobs(house)).toEqual(syncs);
  });

  test('repeatedly, and after half an hour', async () => {
    const token = mint();
    for (const wait of [0, 0, 30 * 60_000]) {
      house.clock.advance(wait);
      expect((await push(envelope(), token)).status).toBe(202);
    }
  });

  test('of any Google account, when the settings name none', async () => {
    for (const email of [account, 'other@elsewhere.iam.gserviceaccount.com', undefined]) {
      const authorization = `bearer ${mintFor(anyAccount)({ claims: { email, email_verified: false } })}`;
      expect((await post(anyAccount, '/mail-b', envelope(), { authorization })).status).toBe(202);
    }
  });
});

const forged: [string, () => string][] = [
  ...forgedTokens({ mint, pair, foreign: () => foreign, short: () => short }),
  // Who issued the token, and for whom
  ['another issuer', () => mint({ claims: { iss: 'https://evil.example' } })],
  ['an issuer that begins alike', () => mint({ claims: { iss: `${google}.evil.example` } })],
  ['an issuer with a slash behind it', () => mint({ claims: { iss: `${google}/` } })],
  ['an issuer over http', () => mint({ claims: { iss: 'http://accounts.google.com' } })],
  ['no issuer', () => mint({ claims: { iss: undefined } })],
  ['issuers', () => mint({ claims: { iss: [google] } })],
  ['another audience', () => mint({ claims: { aud: 'https://elsewhere.example/push' } })],
  ['an audience without its query', () => mint({ claims: { aud: audience.split('?')[0] } })],
  ['an audience with a slash behind it', () => mint({ claims: { aud: `${audience}/` } })],
  ['an audience in another case', () => mint({ claims: { aud: audience.replace('kontor', 'Kontor') } })],
  ['a list of audiences', () => mint({ claims: { aud: [audience] } })],
  ['no audience', () => mint({ claims: { aud: undefined } })],
  ['another service account', () => mint({ claims: { email: 'push@evil.iam.gserviceaccount.com' } })],
  ['a service account that begins alike', () => mint({ claims: { email: `${account}.evil.example` } })],
  ['no service account', () => mint({ claims: { email: undefined } })],
  ['a list of service accounts', () => mint({ claims: { email: [account] } })],
  ['an account that is not verified', () => mint({ claims: { email_verified: false } })],
  ['an account that is not verified, as text', () => mint({ claims: { email_verified: 'false' } })],
  ['an account that is verified by a number', () => mint({ claims: { email_verified: 1 } })],
  ['nothing said of verification', () => mint({ claims: { email_verified: undefined } })],
  // When it is valid
  ['expired', () => mint({ claims: { exp: now() - 65 } })],
  ['no end', () => mint({ claims: { exp: undefined } })],
  ['an end as text', () => mint({ claims: { exp: String(now() + 3_600) } })],
  ['an end ten years ahead', () => mint({ claims: { exp: now() + 315_360_000 } })],
  ['not yet good', () => mint({ claims: { nbf: now() + 65 } })],
  ['made in the future', () => mint({ claims: { iat: now() + 65 } })],
  ['40,000 bytes of claims', () => mint({ claims: { padding: 'x'.repeat(30_000), aud: 'x' } })],
  [
    'a person’s identity token',
    () =>
      signToken(
        { alg: 'RS256', kid: pair().kid },
        { iss: google, aud: 'client', exp: now() + 60 },
        { with: 'rs256', pair: pair() },
      ),
  ],
];

describe('a forged token', () => {
  test('there are more than sixty kinds', () => expect(forged.length).toBeGreaterThan(60));

  test.each(forged)('%s is refused', async (_what, token) => {
    const { status, body } = await push(envelope(), token());
    expect([status, body]).toEqual([
      401,
      { key: 'webhook.unverified', params: {}, fallbackMessage: expect.any(String) },
    ]);
  });

  test('and a header without a bearer token is refused before the body is read', async () => {
    const before = house.app.webhookTally.of('mail-b', 'unverified');
    const headers = [{}, { authorization: '' }, { authorization: 'Bearer' }, { authorization: `Basic ${mint()}` }];
    for (const header of headers)
      for (const body of ['{', JSON.stringify(envelope())])
        expect((await post(house, '/mail-b', body, header as Record<string, string>)).body.key).toBe(
          'webhook.unverified',
        );
    expect(house.app.webhookTally.of('mail-b', 'unverified')).toBe(before + 8);
    expect(await takeJobs(house)).toEqual([]);
  });
});

describe('keys', () => {
  test('are fetched again for the first token of a new key, and old keys work until they are removed', async () => {
    house.providers.publish('google', undefined);
    const before = mint();
    house.providers.rotate('google');
    house.clock.advance(61_000);
    expect((await push(envelope(), mint())).status).toBe(202);
    expect((await push(envelope(), before)).status).toBe(202);
    house.providers.rotate('google', { keepsOld: false });
    house.clock.advance(61_000);
    expect((await push(envelope(), mint())).status).toBe(202);
    expect((await push(envelope(), before)).status).toBe(401);
  });

  test('that are unreachable refuse a push only for now', async () => {
    house.providers.rotate('google');
    house.clock.advance(61_000);
    house.providers.fail('keys', { kind: 'down' });
    const { status, body, headers } = await push(envelope(), mint());
    expect([status, body.key, headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
    house.providers.fail('keys', undefined);
    house.clock.advance(61_000);
    expect((await push(envelope(), mint())).status).toBe(202);
  });
});

describe('a push', () => {
  const wide = { emailAddress: 'ada@example.org', historyId: '1', note: '¿¿¿>>>???' };
  test.each<[string, () => unknown]>([
    ['standard base64', () => base64(wide)],
    ['standard base64 without padding', () => base64(wide).replace(/=+$/, '')],
    ['URL-safe base64', () => Buffer.from(JSON.stringify(wide)).toString('base64url')],
    ['padded URL-safe base64', () => base64(wide).replaceAll('+', '-').replaceAll('/', '_')],
    ['a history id as text', () => base64({ ...told, historyId: '18446744073709551615' })],
    ['no history id', () => base64({ emailAddress: told.emailAddress })],
    ['the address in another case', () => base64({ ...told, emailAddress: ' Ada@Example.ORG' })],
  ])('with %s syncs its mailbox', async (_what, data) => {
    expect((await push(envelope(data()))).status).toBe(202);
    expect(await takeJobs(house)).toEqual(syncs);
  });

  test('with a dead-letter count, ordering key, attributes, or no charset in its media type is accepted', async () => {
    const body = { ...envelope(), deliveryAttempt: 3 };
    Object.assign(body.message, { orderingKey: 'k', attributes: { a: 'b' } });
    const headers = { authorization: `Bearer ${mint()}`, 'content-type': 'application/json' };
    expect((await post(house, '/mail-b', body, headers)).status).toBe(202);
    expect(await takeJobs(house)).toEqual(syncs);
  });

  test('that comes twice, or in a burst, queues one sync, and one that looks again', async () => {
    const token = mint();
    const answers = await Promise.all(Array.from({ length: 30 }, () => push(envelope(), token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await takeJobs(house)).toEqual(syncs);
  });

  test('queues a second sync for when Gmail may notify again', async () => {
    await push(envelope());
    expect(
      await house.app.db.one(sql`
        select due_at <= ${house.clock.now()} as "isDue", extract(epoch from again_at - due_at)::float as "againSeconds"
        from mailbox_syncs where mailbox_id = ${mailbox.mailboxId}`),
    ).toEqual({ isDue: true, againSeconds: 1.2 });
  });

  test('for an address without a mailbox is accepted and dropped', async () => {
    const before = house.app.webhookTally.of('mail-b', 'dropped');
    expect((await push(envelope(base64({ ...told, emailAddress: 'nobody@example.org' })))).status).toBe(202);
    expect(await takeJobs(house)).toEqual([]);
    expect(house.app.webhookTally.of('mail-b', 'dropped')).toBe(before + 1);
  });

  test.each<[string, unknown]>([
    ['no data', undefined],
    ['empty data', ''],
    ['data that is a number', 7],
    ['data that is an object', told],
    ['data that is not base64', '%%%'],
    ['data that is not UTF-8', '//79'],
    ['data that is not JSON', Buffer.from('{').toString('base64')],
    ['data that is null', base64(null)],
    ['data that is a list', base64([])],
    ['no address', base64({ historyId: 1 })],
    ['an invalid address', base64({ emailAddress: 'ada' })],
    ['addresses', base64({ emailAddress: ['ada@example.org'] })],
    ['an address with U+0000', base64({ emailAddress: 'a\u0000@example.org' })],
    ['an address without an end', base64({ emailAddress: `${'a'.repeat(10_000)}@example.org` })],
  ])('with %s is accepted and counted, because Pub/Sub would repeat it for ever', async (_what, data) => {
    const before = house.app.webhookTally.of('mail-b', 'malformed');
    expect((await push({ ...envelope(), message: { ...envelope().message, data } })).status).toBe(202);
    expect(await takeJobs(house)).toEqual([]);
    expect(house.app.webhookTally.of('mail-b', 'malformed')).toBe(before + 1);
  });

  test.each<[string, string, number, string]>([
    ['nothing', '', 400, 'request.invalid'],
    ['an empty object', '{}', 400, 'request.invalid'],
    ['a message that is a text', '{"message":"data"}', 400, 'request.invalid'],
    ['a message that is a list', '{"message":[]}', 400, 'request.invalid'],
    ['a list', '[]', 400, 'request.invalid'],
    ['half a body', '{"message":', 400, 'request.malformed_json'],
    ['more than 4 MiB', JSON.stringify(envelope('A'.repeat(4 * 1024 * 1024))), 413, 'request.too_large'],
  ])('that is %s is refused', async (_what, body, status, key) => {
    const answer = await push(body);
    expect([answer.status, answer.body.key]).toEqual([status, key]);
  });
});
