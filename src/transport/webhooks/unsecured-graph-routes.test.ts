import { expect, test, vi } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeRoutedMailbox, post, syncOf, takeJobs, watchOf } from '../../../test/worlds/webhook-house.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { ownClientState } from '../../mail/providers/registry.ts';

const house = useHouse();

test('without a secret in the settings, strangers cause one read a minute, our subscription more', async () => {
  const subscriptionId = newId();
  const mailbox = await makeRoutedMailbox(house, 'mail-a', subscriptionId);
  const clientState = ownClientState(house.app.config.authSecret);
  const calls = [
    ['/mail-a', { value: [{ subscriptionId, lifecycleEvent: 'subscriptionRemoved' }] }],
    ['/mail-a/lifecycle', { value: [{ subscriptionId, clientState, lifecycleEvent: 'subscriptionRemoved' }] }],
  ] as const;
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into mailbox_watches
        (workspace_id, mailbox_id, watch_key, subscription_id, target_hash, expires_at, renewed_at)
      values (${mailbox.workspaceId}, ${mailbox.mailboxId}, 'inbox', ${subscriptionId}, '', ${tx.now}, ${tx.now})`),
  );
  /** The sync until the mailbox's next regular one. */
  const syncs = () =>
    house.app.db.rows(sql`
      select mailbox_id as id, due_at > now() + interval '50 seconds' as "isLater" from mailbox_syncs
      where due_at < now() + interval '2 minutes'`);
  expect((await post(house, ...calls[0])).status).toBe(202);
  expect(await takeJobs(house)).toEqual([syncOf(mailbox), watchOf(mailbox)]);
  // The watches have been renewed.
  await house.app.db.tx((tx) => tx.run(sql`update mailbox_watches set renewed_at = ${tx.now}`));
  for (const [path, body] of calls) {
    for (const _ of [1, 2]) expect((await post(house, path, body)).status).toBe(202);
    expect(await syncs()).toEqual([{ id: mailbox.mailboxId, isLater: true }]);
    expect(await takeJobs(house)).toEqual([]);
    await house.app.db.tx((tx) => tx.run(sql`update mailbox_syncs set due_at = 'infinity'`));
  }
  await post(house, '/mail-a', { value: [{ subscriptionId, clientState: 'x', resourceData: { id: 'A' } }] });
  await takeJobs(house);
  const kept = sql`
    select (select count(*) from mailbox_watches where subscription_id = ${subscriptionId}) as watches,
      (select count(*) from mailbox_stuck_mails where workspace_id = ${mailbox.workspaceId}) as named`;
  expect(await house.app.db.one(kept)).toEqual({ watches: 1, named: 0 });
  const own = { subscriptionId, clientState, resourceData: { id: 'A' } };
  expect((await post(house, '/mail-a', { value: [own] })).status).toBe(202);
  expect(await syncs()).toEqual([{ id: mailbox.mailboxId, isLater: false }]);
  expect(await house.app.db.one(kept)).toEqual({ watches: 1, named: 1 });
  await takeJobs(house);
  expect((await post(house, '/mail-a', {})).status).toBe(202);
});

test('an unproven notification whose transaction runs twice takes one turn', async () => {
  const subscriptionId = newId();
  const mailbox = await makeRoutedMailbox(house, 'mail-a', subscriptionId);
  const { db } = house.app;
  const { tx } = db;
  let runs = 0;
  vi.spyOn(db, 'tx').mockImplementationOnce((work) =>
    tx(async (each) => {
      const result = await work(each);
      if (++runs === 1) await each.run(sql`do $$ begin raise exception 'a deadlock' using errcode = '40P01'; end $$`);
      return result;
    }),
  );
  const removed = { subscriptionId, lifecycleEvent: 'subscriptionRemoved' };
  expect((await post(house, '/mail-a', { value: [removed] })).status).toBe(202);
  expect(runs).toBe(2);
  expect(await takeJobs(house)).toEqual([syncOf(mailbox), watchOf(mailbox)]);
});
