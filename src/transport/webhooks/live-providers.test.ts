import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { takeJobs } from '../../../test/worlds/webhook-house.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { watchMailbox } from '../../mail/mailboxes/watch-mailbox.ts';
import type { ProviderKey } from '../../mail/providers/registry.ts';

const secret = 'the secret & ünusual, of the webhooks';
/** Enough for a busy machine. */
const waiting = { interval: 20 };
const gmail = await openGmailEmulator({ pushIntervalMs: 0 });
const graph = await openGraphEmulator();
const house = useHouse({
  ...gmail.settings,
  ...graph.settings,
  MAIL_A_WEBHOOK_SECRET: secret,
  RATE_LIMIT_PER_MINUTE: '20',
});

beforeAll(() => {
  const { config } = house.app;
  config.publicUrl = house.url;
  gmail.configure({ endpoint: `${house.url}/v1/webhooks/mail-b`, audience: config.gmail.push.audience });
});
afterAll(() => Promise.all([gmail.close(), graph.close()]));

/** Connects a mailbox and makes the provider watch it. */
async function connect(provider: ProviderKey) {
  const owner = await makeOwner(house);
  const address = `help-${newId().slice(-8)}@shop.example`;
  const { refreshToken } = (provider === 'mail-a' ? graph : gmail).addMailbox({ address });
  const { body } = await owner.call('POST', '/mailboxes', { provider, address, refreshToken });
  await watchMailbox(house.app, { workspaceId: owner.workspaceId, mailboxId: body.id });
  return { address, sync: `mailbox.sync:${body.id}`, watch: `mailbox.watch:${body.id}` };
}
/** Waits until a notification of the provider has queued this job. Its other notifications do not matter. */
const queued = async (job: string): Promise<void> => {
  const seen = new Set<string>();
  const look = async () => {
    for (const key of await takeJobs(house)) seen.add(key);
    return [...seen];
  };
  await expect.poll(look, waiting).toContain(job);
};

test('Graph gets its token echoed while our subscription request is pending, and its mail is synced', async () => {
  const { address, sync, watch } = await connect('mail-a');
  expect(graph.subscriptions().filter((one) => one.address === address && one.end === null)).toHaveLength(2);
  await takeJobs(house);
  await graph.deliver(address, { from: 'ada@example.org', subject: 'Hello', text: 'Is there anybody?' });
  await queued(sync);
  const anHourAgo = new Date(house.clock.now().getTime() - 3_600_000);
  await house.app.db.tx((tx) => tx.run(sql`update mailbox_watches set renewed_at = ${anHourAgo}`));
  graph.lifecycle('reauthorizationRequired');
  await queued(watch);
  graph.lifecycle('missed');
  await queued(sync);
});

test('Graph gets its token echoed at the address for lifecycle events as well', async () => {
  const address = `help-${newId().slice(-8)}@shop.example`;
  const { refreshToken, userId } = graph.addMailbox({ address });
  const { id: client_id, secret: client_secret } = graph.client;
  const grant = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id,
    client_secret,
  });
  const granted = (await (await fetch(graph.tokenUrl, { method: 'POST', body: grant })).json()) as {
    access_token: string;
  };
  const made = await fetch(`${graph.apiUrl}/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${granted.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      changeType: 'created',
      resource: `users/${userId}/mailFolders('inbox')/messages`,
      notificationUrl: `${house.url}/v1/webhooks/mail-a`,
      lifecycleNotificationUrl: `${house.url}/v1/webhooks/mail-a/lifecycle`,
      clientState: secret,
      expirationDateTime: new Date(Date.now() + 86_400_000).toISOString(),
    }),
  });
  expect(made.status).toBe(201);
});

test('Gmail’s pushes are accepted; with another account’s token they are refused and repeated', async () => {
  const { address, sync } = await connect('mail-b');
  await gmail.pushesSettled();
  await takeJobs(house);
  gmail.usePushToken('wrong-email');
  await gmail.deliver(address, { from: 'ada@example.org', subject: 'Hello', text: 'Is there anybody?' });
  await expect.poll(() => house.app.webhookTally.of('mail-b', 'unverified'), waiting).toBeGreaterThan(0);
  expect(await takeJobs(house)).toEqual([]);
  gmail.usePushToken('good');
  await queued(sync);
});
