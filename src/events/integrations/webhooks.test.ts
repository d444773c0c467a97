import { describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { eventTypes } from '../../ground/catalog/events.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse({}, { resolveName: async (name) => (name === 'hooks.test' ? ['93.184.215.14'] : ['10.0.0.5']) });
const url = 'https://hooks.test/kontor?key=s3cr3t';
const create = (by: Person, body: object = { url }, headers?: Record<string, string>) =>
  by.call('POST', '/webhooks', body, headers);

describe('creating and changing', () => {
  test('a webhook shows its secret once, and the secret is stored sealed', async () => {
    const owner = await makeOwner(house);
    const { status, body } = await create(owner, {
      url: ` ${url}#part `,
      events: ['ticket.created', 'ticket.created'],
    });
    const { secret, ...webhook } = body;
    expect([status, webhook]).toEqual([
      201,
      {
        id: expect.any(String),
        url,
        events: ['ticket.created'],
        description: null,
        status: 'active',
        disabledReason: null,
        failingSince: null,
        previousSecretUntil: null,
        createdBy: owner.userId,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await owner.call('GET', '/webhooks')).body).toEqual([webhook]);
    expect((await owner.call('GET', `/webhooks/${webhook.id}`)).body).toEqual(webhook);
    const rows = await house.app.db.rows(sql`
      select w::text, (select string_agg(l::text, '') from audit_log l where l.workspace_id = ${owner.workspaceId})
      from webhooks w where w.workspace_id = ${owner.workspaceId}`);
    const key = Buffer.from(secret.slice(6), 'base64');
    for (const form of ['base64', 'hex', 'base64url'] as const)
      expect(JSON.stringify(rows)).not.toContain(key.toString(form));
  });

  test('a repeated request neither shows the secret again nor creates a second webhook', async () => {
    const owner = await makeOwner(house);
    const headers = { 'idempotency-key': 'hook-1' };
    expect((await create(owner, { url }, headers)).status).toBe(201);
    expect((await create(owner, { url }, headers)).body.key).toBe('idempotency.secret_not_repeatable');
    const webhooks = (await owner.call('GET', '/webhooks')).body;
    expect(webhooks).toHaveLength(1);
    const rotate = () => owner.call('POST', `/webhooks/${webhooks[0].id}/rotate-secret`, undefined, headers);
    expect((await rotate()).status).toBe(200);
    expect((await rotate()).body.key).toBe('idempotency.secret_not_repeatable');
  });

  test.each([
    [{}, 'body.url'],
    [{ url: '' }, 'body.url'],
    [{ url: 'http://hooks.test/' }, 'body.url'],
    [{ url: 'https://me:pass@hooks.test/' }, 'body.url'],
    [{ url: 'https://inside.test/' }, 'body.url'],
    [{ url: 'https://169.254.169.254/' }, 'body.url'],
    [{ url: 7 }, 'body.url'],
    [{ url: `https://hooks.test/${'a'.repeat(2_000)}` }, 'body.url'],
    [{ url, events: ['ticket.exploded'] }, 'body.events.0'],
    [{ url, events: 'ticket.created' }, 'body.events'],
    [{ url, description: 'a'.repeat(501) }, 'body.description'],
  ])('%j is refused at %s', async (body, path) => {
    const owner = await makeOwner(house);
    const answer = await create(owner, body);
    expect([answer.status, answer.body.key, answer.body.params.issues[0].path]).toEqual([400, 'request.invalid', path]);
  });

  test('a workspace has at most twenty, even when two are created at once', async () => {
    const owner = await makeOwner(house);
    await Promise.all(Array.from({ length: 19 }, () => create(owner)));
    const answers = await Promise.all([create(owner), create(owner)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await create(owner)).body).toMatchObject({ key: 'webhook.too_many', params: { max: 20 } });
  });

  test('only given fields change, and unchanged values leave no audit entry', async () => {
    const owner = await makeOwner(house);
    const { id } = (await create(owner, { url, description: 'Billing' })).body;
    const change = async (body: object) => (await owner.call('PATCH', `/webhooks/${id}`, body)).body;
    expect(await change({ events: [...eventTypes] })).toMatchObject({
      url,
      events: eventTypes,
      description: 'Billing',
    });
    expect(await change({ description: null, events: [] })).toMatchObject({ events: [], description: null });
    expect(await change({ url: 'https://inside.test' })).toMatchObject({ key: 'request.invalid' });
    expect(await change({ status: 'disabled' })).toMatchObject({ status: 'disabled', disabledReason: null });
    const before = await change({ url, status: 'disabled' });
    expect(await change({})).toEqual(before);
    const { items } = (await owner.call('GET', '/audit')).body;
    const entries = items.filter(({ type }: { type: string }) => type.startsWith('webhook.'));
    expect(entries.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
      ['webhook.changed', { changed: ['status'] }],
      ['webhook.changed', { changed: ['events', 'description'] }],
      ['webhook.changed', { changed: ['events'] }],
      ['webhook.created', { origin: 'https://hooks.test' }],
    ]);
    expect(entries[0].subject).toEqual({ type: 'webhook', id, name: 'https://hooks.test' });
  });

  test('a deleted webhook is gone, with its deliveries', async () => {
    const owner = await makeOwner(house);
    const { id } = (await create(owner)).body;
    await owner.call('POST', `/webhooks/${id}/test`);
    expect((await owner.call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${newId()}/redeliver`],
    ] as const) {
      const answer = await owner.call(method, `/webhooks/${id}${path}`);
      expect([method, path, answer.status, answer.body.key]).toEqual([method, path, 404, 'webhook.not_found']);
    }
    await house.drain();
    expect(await house.app.db.rows(sql`select 1 from webhook_deliveries where webhook_id = ${id}`)).toEqual([]);
  });

  test('only signed-in owners and admins may manage webhooks, not API keys', async () => {
    const owner = await makeOwner(house);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await create(admin)).status).toBe(201);
    for (const role of ['agent', 'viewer'] as const) {
      const member = await makeMember(house, owner.workspaceId, role);
      expect((await create(member)).body.key).toBe('auth.role_insufficient');
      expect((await member.call('GET', '/webhooks')).body.key).toBe('auth.role_insufficient');
    }
    const { secret } = (await owner.call('POST', '/api-keys', { name: 'k', role: 'owner' })).body;
    const asKey = { authorization: `Bearer ${secret}` };
    expect((await create(owner, { url }, asKey)).body.key).toBe('auth.session_required');
  });
});
