import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeRoutedMailbox, post, syncOf, takeJobs, watchOf } from '../../../test/worlds/webhook-house.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse({
  MAIL_A_WEBHOOK_SECRET: 'the-secret',
  MAIL_A_WEBHOOK_SECRET_PREVIOUS: 'the-old-secret',
  RATE_LIMIT_PER_MINUTE: '1',
});
const [inbox, sent, other] = [newId(), newId(), newId()] as [string, string, string];
const unknown = newId();
let ours: { workspaceId: string; mailboxId: string };
let theirs: { workspaceId: string; mailboxId: string };

beforeAll(async () => {
  ours = await makeRoutedMailbox(house, 'mail-a', inbox, sent);
  theirs = await makeRoutedMailbox(house, 'mail-a', other);
});
afterEach(() => takeJobs(house));

const notify = (body: unknown, headers?: Record<string, string>) => post(house, '/mail-a', body, headers);
const item = (more: object = {}) => ({
  subscriptionId: inbox,
  clientState: 'the-secret',
  changeType: 'created',
  tenantId: newId(),
  subscriptionExpirationDateTime: '2026-11-26T14:30:00.000+05:30',
  resource: 'Users/11aa/Messages/AAA',
  resourceData: { '@odata.type': '#Microsoft.Graph.Message', '@odata.id': 'Users/11aa/Messages/AAA', id: 'AAA' },
  ...more,
});
const counted = (outcome: 'queued' | 'dropped' | 'unverified') => house.app.webhookTally.of('mail-a', outcome);

describe('a notification', () => {
  test('is answered 202 without a body once its mailbox is due for a sync', async () => {
    const { status, text, headers } = await notify({ value: [item()] });
    expect([status, text, headers.get('content-length')]).toEqual([202, '', '0']);
    expect(await takeJobs(house)).toEqual([syncOf(ours)]);
  });

  test.each<[string, () => unknown]>([
    ['as an item by itself', () => item()],
    ['as a single item in value', () => ({ value: item() })],
    [
      'with the clientState beside the items',
      () => ({ clientState: 'the-secret', value: [item({ clientState: undefined })] }),
    ],
    [
      'with a clientState of null and one beside it',
      () => ({ clientState: 'the-secret', value: [item({ clientState: null })] }),
    ],
    ['with the secret of before', () => ({ value: [item({ clientState: 'the-old-secret' })] })],
    ['with its names in another case', () => ({ Value: [{ SubscriptionId: inbox, ClientState: 'the-secret' }] })],
    ['with the resource as users/guid@tenant', () => ({ value: [item({ resource: `users/1@2/messages/3` })] })],
    ["with the resource as Users('…')", () => ({ value: [item({ resource: "Users('1')/messages('3')" })] })],
    ['with its members in another order', () => ({ value: [Object.fromEntries(Object.entries(item()).reverse())] })],
    ['with no more than must be', () => ({ value: [{ clientState: 'the-secret', subscriptionId: inbox }] })],
    ['of a change of any kind', () => ({ value: [item({ changeType: 'deleted' })] })],
    ['beside items that are none', () => ({ value: [null, 7, 'item', [], item()] })],
  ])('is accepted %s', async (_what, body) => {
    expect((await notify(body())).status).toBe(202);
    expect(await takeJobs(house)).toEqual([syncOf(ours)]);
  });

  test.each<[string, () => unknown]>([
    ['another clientState', () => ({ value: [item({ clientState: 'guessed' })] })],
    ['a clientState that begins alike', () => ({ value: [item({ clientState: 'the-secre' })] })],
    ['none', () => ({ value: [item({ clientState: undefined })] })],
    ['an empty one', () => ({ value: [item({ clientState: '' })] })],
    ['a list of it', () => ({ value: [item({ clientState: ['the-secret'] })] })],
    ['a number', () => ({ value: [item({ clientState: 7 })] })],
    [
      'its own wrong one beside the right one',
      () => ({ clientState: 'the-secret', value: [item({ clientState: 'x' })] }),
    ],
    ['no items', () => ({ value: [] })],
    ['items that are none', () => ({ value: [null, 7] })],
    ['nothing', () => '{}'],
  ])('with %s is refused', async (_what, body) => {
    const { status, body: answer } = await notify(body());
    expect([status, answer]).toEqual([
      401,
      { key: 'webhook.unverified', params: {}, fallbackMessage: expect.any(String) },
    ]);
    expect(await takeJobs(house)).toEqual([]);
  });

  test('the header of the lifecycle address does not replace a clientState', async () => {
    const headers = { 'x-webhook-secret': 'the-secret' };
    expect((await notify({ value: [item({ clientState: undefined })] }, headers)).status).toBe(401);
  });

  test('is verified by itself: a batch’s bad ones are dropped, and the good ones reach their mailboxes', async () => {
    const before = [counted('queued'), counted('dropped'), counted('unverified')] as [number, number, number];
    const value = [
      item({ clientState: 'guessed', subscriptionId: other }),
      item(),
      item({ subscriptionId: sent }),
      item({ subscriptionId: unknown }),
      item({ clientState: undefined }),
    ];
    expect((await notify({ value })).status).toBe(202);
    expect(await takeJobs(house)).toEqual([syncOf(ours)]);
    expect([counted('queued'), counted('dropped'), counted('unverified')]).toEqual([
      before[0] + 2,
      before[1] + 1,
      before[2] + 2,
    ]);
    expect((await notify({ value: [item(), item({ subscriptionId: other })] })).status).toBe(202);
    expect(await takeJobs(house)).toEqual([syncOf(ours), syncOf(theirs)].sort());
  });

  test('in a burst queues one job', async () => {
    const burst = Array.from({ length: 50 }, () => notify({ value: [item(), item({ subscriptionId: sent })] }));
    expect(new Set((await Promise.all(burst)).map(({ status }) => status))).toEqual(new Set([202]));
    expect(await takeJobs(house)).toEqual([syncOf(ours)]);
  });

  test('for an unknown or missing subscription is accepted and dropped', async () => {
    for (const subscriptionId of [unknown, undefined, '', 7, '__proto__'])
      expect((await notify({ value: [item({ subscriptionId })] })).status).toBe(202);
    expect((await notify({ clientState: 'the-secret' })).status).toBe(202);
    expect((await notify({ clientState: 'the-secret', value: [] })).status).toBe(202);
    expect(await takeJobs(house)).toEqual([]);
  });

  test('without the secret, for our subscription, sets the mailbox’s reason once there are many', async () => {
    // Fixed ids, because two random ids may share a counter.
    const subscriptionId = 'told';
    const told = await makeRoutedMailbox(house, 'mail-a', subscriptionId);
    const reasonOf = async ({ workspaceId, mailboxId }: typeof ours) =>
      house.app.db.one<{ reason: string | null }>(sql`
        select status_reason as reason from mailboxes where workspace_id = ${workspaceId} and id = ${mailboxId}`);
    const stripped = (id = subscriptionId) => item({ subscriptionId: id, clientState: null });
    await notify({ value: Array.from({ length: 19 }, () => stripped()) });
    await notify({ value: Array.from({ length: 100 }, (_, at) => stripped(`made-up-${at}`)) });
    expect(await reasonOf(told)).toEqual({ reason: null });
    expect((await notify({ value: [stripped()] })).status).toBe(401);
    expect(await reasonOf(told)).toEqual({ reason: expect.stringContaining('without the secret') });
    expect(await reasonOf(ours)).toEqual({ reason: null });
    const flooded = await makeRoutedMailbox(house, 'mail-a', 'flooded');
    await notify({ value: Array.from({ length: 20_000 }, (_, at) => ({ subscriptionId: `flood-${at}` })) });
    await notify({ value: Array.from({ length: 20 }, () => stripped('flooded')) });
    expect(await reasonOf(flooded)).toEqual({ reason: expect.stringContaining('without the secret') });
    expect(await takeJobs(house)).toEqual([]);
  });

  test('shows in the metrics', async () => {
    await notify({ value: [item()] });
    const metrics = await (await fetch(`${house.url}/metrics`)).text();
    expect(metrics).toMatch(/kontor_webhook_items_total\{provider="mail-a",outcome="queued"\} [1-9]/);
    expect(metrics).toMatch(/kontor_webhook_items_total\{provider="mail-b",outcome="malformed"\} 0/);
  });
});

describe('a lifecycle event', () => {
  const event = (lifecycleEvent: string, more: object = {}) => ({
    ...item(more),
    changeType: undefined,
    lifecycleEvent,
  });
  const wanted: [string, () => string[]][] = [
    ['reauthorizationRequired', () => [watchOf(ours)]],
    ['subscriptionRemoved', () => [syncOf(ours), watchOf(ours)]],
    ['missed', () => [syncOf(ours)]],
    ['Missed', () => [syncOf(ours)]],
    ['inventedLater', () => [syncOf(ours), watchOf(ours)]],
  ];

  test.each(wanted)('%s makes the right work due', async (name, jobs) => {
    expect((await notify({ value: [event(name)] })).status).toBe(202);
    expect(await takeJobs(house)).toEqual(jobs());
    const headers = { 'x-webhook-secret': 'the-secret' };
    const toItsOwn = await post(
      house,
      '/mail-a/lifecycle',
      { value: [event(name, { clientState: undefined })] },
      headers,
    );
    expect([toItsOwn.status, toItsOwn.text]).toEqual([202, '']);
    expect(await takeJobs(house)).toEqual(jobs());
  });

  test('of several kinds for a mailbox folds into one watch and one sync', async () => {
    await notify({ value: [event('reauthorizationRequired'), event('missed', { subscriptionId: sent }), item()] });
    expect(await takeJobs(house)).toEqual([syncOf(ours), watchOf(ours)]);
  });

  test('that a subscription was removed deletes only its watch', async () => {
    for (const [key, subscriptionId] of [
      ['inbox', inbox],
      ['sentitems', sent],
    ])
      await house.app.db.tx((tx) =>
        tx.run(sql`
          insert into mailbox_watches
            (workspace_id, mailbox_id, watch_key, subscription_id, target_hash, expires_at, renewed_at)
          values (${ours.workspaceId}, ${ours.mailboxId}, ${key}, ${subscriptionId}, '', ${tx.now}, ${tx.now})`),
      );
    await notify({ value: [event('subscriptionRemoved')] });
    const watches = sql`select watch_key as key from mailbox_watches where workspace_id = ${ours.workspaceId}`;
    expect(await house.app.db.rows(watches)).not.toContainEqual({ key: 'inbox' });
    expect(await house.app.db.rows(watches)).toContainEqual({ key: 'sentitems' });
  });

  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['another secret', { 'x-webhook-secret': 'guessed' }],
    ['the secret twice', { 'x-webhook-secret': 'the-secret, the-secret' }],
    ['a bearer of the secret', { authorization: 'Bearer the-secret' }],
  ])('at its own address is refused with %s, whatever its clientState', async (_what, headers) => {
    const { status, body } = await post(house, '/mail-a/lifecycle', { value: [event('missed')] }, headers);
    expect([status, body.key]).toEqual([401, 'webhook.unverified']);
    expect(await takeJobs(house)).toEqual([]);
  });

  test('at its own address is accepted with the previous secret, whatever its clientState', async () => {
    const headers = { 'X-Webhook-Secret': 'the-old-secret' };
    const body = { value: [event('missed', { clientState: 'guessed' })] };
    expect((await post(house, '/mail-a/lifecycle', body, headers)).status).toBe(202);
    expect(await takeJobs(house)).toEqual([syncOf(ours)]);
  });
});

describe('a body that is not a notification', () => {
  const secret = { 'x-webhook-secret': 'the-secret' };
  test.each<[string, string, number, string]>([
    ['a list', '[]', 400, 'request.invalid'],
    ['a text', '"value"', 400, 'request.invalid'],
    ['null', 'null', 400, 'request.invalid'],
    ['half of one', '{"value":[', 400, 'request.malformed_json'],
    ['U+0000', '{"clientState":"\\u0000"}', 400, 'request.invalid'],
    ['a lone surrogate', '{"value":[{"subscriptionId":"\\ud800"}]}', 400, 'request.invalid'],
    ['a million items', `{"value":[${'0,'.repeat(1_000_000)}0]}`, 400, 'request.invalid'],
    ['more than 4 MiB', JSON.stringify({ value: 'x'.repeat(4 * 1024 * 1024) }), 413, 'request.too_large'],
  ])('%s is refused', async (_what, body, status, key) => {
    for (const path of ['/mail-a', '/mail-a/lifecycle']) {
      const answer = await post(house, path, body, secret);
      expect([answer.status, answer.body.key]).toEqual([status, key]);
    }
  });

  test('with 100,000 nested lists is handled', async () => {
    const nested = `{"clientState":"the-secret","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await notify(nested)).status).toBe(202);
  });

  test('with a clientState of megabytes does not hash it for each item', async () => {
    const value = Array.from({ length: 15_000 }, () => ({}));
    expect((await notify({ clientState: 'x'.repeat(3 * 1024 * 1024), value })).status).toBe(401);
    expect((await notify({ clientState: 'the-secret', value })).status).toBe(202);
  });

  test('with 3 MiB of items is accepted', async () => {
    const value = Array.from({ length: 8_000 }, () => item());
    expect((await notify({ value })).status).toBe(202);
    expect(await takeJobs(house)).toEqual([syncOf(ours)]);
  });

  test('of another type than JSON is refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect((await notify({ value: [item()] }, { 'content-type': type })).status).toBe(415);
  });
});
