import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { automation } from '../../ground/catalog/doer.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { limitMachineMail, perAddressMax, perMailboxMax } from './limits.ts';
import { logMachineMail } from './log.ts';
import type { Withheld } from './withheld.ts';

const house = useHouse();
let owner: Person;
let ticketId: any;

beforeEach(async () => {
  owner = await makeOwner(house);
  ticketId = (await owner.call('POST', '/tickets', { subject: 's', body: 'b' })).body.id;
});

/** Asks for a mail, and logs it if it may leave. */
async function ask(
  tx: Tx,
  to: string,
  kind: 'received' | 'out_of_hours' | 'rule' = 'received',
): Promise<Withheld | null> {
  const { workspaceId } = owner;
  const doer = automation(workspaceId, { kind: 'auto_reply', id: ticketId, depth: 1 });
  const withheld = await limitMachineMail(tx, doer, { kind, mailboxId: null, to });
  const replyId = tx.newId<MessageId>();
  if (withheld === null)
    await logMachineMail(tx, workspaceId, { kind, mailboxId: null, ticketId, messageId: replyId, to, replyId });
  return withheld;
}

const asked = (to: string, kind?: 'received' | 'out_of_hours' | 'rule') => house.app.db.tx((tx) => ask(tx, to, kind));
const age = (hours: number) =>
  house.app.db.tx((tx) =>
    tx.run(sql`
      update auto_reply_log set created_at = created_at - make_interval(secs => ${hours * 3_600 + 1})
      where workspace_id = ${owner.workspaceId}`),
  );

test('each kind rests for its time, and a rule after three mails', async () => {
  expect([await asked('a@x.example'), await asked('A@x.example')]).toEqual([null, 'answered_lately']);
  expect([await asked('a@x.example', 'out_of_hours'), await asked('a@x.example', 'rule')]).toEqual([null, null]);
  await age(12);
  expect(await asked('a@x.example', 'out_of_hours')).toBeNull();
  expect(await asked('a@x.example')).toBe('answered_lately');
  await age(12);
  expect(await asked('a@x.example')).toBeNull();
  const rule = async () => {
    await age(1);
    return asked('b@x.example', 'rule');
  };
  expect([await rule(), await rule(), await rule(), await rule()]).toEqual([null, null, null, 'answered_lately']);
  await age(21);
  expect(await rule()).toBeNull();
});

test('addresses that differ in numbers only share three mails an hour', async () => {
  const answers = [];
  for (let n = 0; n < perAddressMax + 2; n++) answers.push(await asked(`bounce-${n * 17}@x.example`));
  expect(answers).toEqual([...Array(perAddressMax).fill(null), 'address_limit', 'address_limit']);
  expect(await asked('other@x.example')).toBeNull();
  await age(1);
  expect(await asked('bounce-5@x.example')).toBeNull();
});

test('of readers at the same time, only as many pass as the limit has room for', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => asked(`robot${n}@x.example`)));
  expect(answers.filter((withheld) => withheld === null)).toHaveLength(perAddressMax);
  const same = await Promise.all(Array.from({ length: 6 }, () => asked('zora@x.example')));
  expect(same.filter((withheld) => withheld === null)).toHaveLength(1);
});

test('of a thousand forged senders two hundred get a mail, then it rests until an admin resumes it', async () => {
  const letters = (n: number) => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
  const counts = new Map<Withheld | null, number>();
  await house.app.db.tx(async (tx) => {
    for (let n = 0; n < 1_000; n++) {
      const withheld = await ask(tx, `${letters(n)}@forged${letters(n)}.example`);
      counts.set(withheld, (counts.get(withheld) ?? 0) + 1);
    }
  });
  expect(Object.fromEntries(counts)).toEqual({
    null: perMailboxMax,
    mailbox_limit: 1,
    paused: 1_000 - perMailboxMax - 1,
  });
  const told = (await owner.call('GET', '/notifications')).body;
  expect((told.items ?? told).map(({ type }: { type: string }) => type)).toEqual(['mailbox']);
  const pauses = () => owner.call('GET', '/auto-replies/pauses').then(({ body }) => body);
  expect(await pauses()).toMatchObject([{ mailboxId: null }]);
  expect((await owner.call('POST', '/auto-replies/resume', { mailboxId: null })).status).toBe(204);
  expect(await pauses()).toEqual([]);
  expect(await asked('later@x.example')).toBeNull();
});

test('the log goes after its time', async () => {
  const { sweepMachineMails } = await import('./log.ts');
  await asked('a@x.example');
  const rows = async () =>
    (await house.app.db.rows(sql`select from auto_reply_log where workspace_id = ${owner.workspaceId}`)).length;
  await house.app.db.tx((tx) => sweepMachineMails(tx, 100));
  expect(await rows()).toBe(1);
  await age(31 * 24);
  await house.app.db.tx((tx) => sweepMachineMails(tx, 100));
  expect(await rows()).toBe(0);
});
