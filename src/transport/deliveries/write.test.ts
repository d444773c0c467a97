import { glob, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';
import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { MessageId } from '../../ground/lib/ids.ts';
import { type DeliveryEvent, type DeliveryState, deliveryStates, nextState, statesBefore, statusOf } from './state.ts';
import { change, stateOf } from './write.ts';

const house = useHouse();
let owner: Person;
let messageId: MessageId;
let mailboxId: string;

beforeAll(async () => {
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  const requester = { email: 'c@example.org' };
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 's', body: 'b', requester });
  const { body } = await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'x', sendEmail: true });
  messageId = body.id;
  const mailbox = { workspaceId, provider: 'mail-b', address: 'help@shop.example', refreshToken: 'r' } as const;
  mailboxId = (await putMailbox(house, mailbox)).id;
});

const events: DeliveryEvent[] = [
  ...(['claim', 'hand-over', 'hand-to-mailbox', 'keep-asking', 'start-over', 'postpone', 'send', 'fail'] as const),
  ...(['release', 'reschedule'] as const),
  ...(['lose', 'cut-off', 'give-up', 'find', 'bounce', 'retry', 'retry-asking', 'cancel'] as const),
];
const mayHaveLeft: DeliveryState[] = ['queued-unsure', 'handing-over', 'unsure', 'failed', 'uncertain', 'cancelled'];

/** Stores the state, as its earlier events would have. */
async function put(tx: Tx, state: DeliveryState, { hasMailbox }: { hasMailbox: boolean }): Promise<void> {
  const { workspaceId } = owner;
  await tx.run(sql`delete from mailbox_sends where workspace_id = ${workspaceId} and message_id = ${messageId}`);
  if (hasMailbox)
    await tx.run(sql`
      insert into mailbox_sends (workspace_id, message_id, mailbox_id)
      values (${workspaceId}, ${messageId}, ${mailboxId})`);
  await tx.run(sql`
    update messages
    set delivery_status = ${statusOf(state)}, delivery_attempts = 2,
      handing_over_at = ${mayHaveLeft.includes(state) ? tx.now : null}::timestamptz
    where workspace_id = ${workspaceId} and id = ${messageId}`);
}

const read = (tx: Tx) =>
  tx.one<{ state: DeliveryState; attempts: number }>(sql`
    select ${stateOf(owner.workspaceId)} as state, m.delivery_attempts as attempts
    from messages m where m.workspace_id = ${owner.workspaceId} and m.id = ${messageId}`);

describe.each(events)('%s', (event) => {
  test('changes the columns from each state as the table says, and leaves refused ones unchanged', async () => {
    const stored: Partial<Record<DeliveryState, DeliveryState>> = {};
    const said: Partial<Record<DeliveryState, DeliveryState>> = {};
    await house.app.db.tx(async (tx) => {
      for (const state of deliveryStates) {
        const isHosted = state === 'unsure' || state === 'queued-unsure';
        await put(tx, state, { hasMailbox: isHosted || (event === 'hand-to-mailbox' && state === 'sending') });
        expect((await read(tx)).state).toBe(state);
        const next = nextState(state, event);
        const changed = await change(tx, { workspaceId: owner.workspaceId, messageId }, event, { error: 'e' });
        expect(changed === undefined).toBe(next === 'refused');
        stored[state] = (await read(tx)).state;
        said[state] = next === 'refused' ? state : next;
      }
    });
    expect(stored).toEqual(said);
  });

  test('of an earlier attempt, or from another state than expected, changes nothing', async () => {
    const [state = 'queued'] = statesBefore(event);
    await house.app.db.tx(async (tx) => {
      await put(tx, state, { hasMailbox: state === 'unsure' });
      const delivery = { workspaceId: owner.workspaceId, messageId };
      expect(await change(tx, { ...delivery, attempt: 1 }, event)).toBeUndefined();
      expect(await change(tx, delivery, event, { from: 'sent' })).toBeUndefined();
      expect(await read(tx)).toEqual({ state, attempts: 2 });
      expect(await change(tx, { ...delivery, attempt: 2 }, event, { from: state })).toBeDefined();
    });
  });
});

test('an answer by SMTP that may have left never waits to be sent again by itself', async () => {
  await house.app.db.tx(async (tx) => {
    const delivery = { workspaceId: owner.workspaceId, messageId };
    for (const event of events.filter((other) => other !== 'retry-asking'))
      for (const state of deliveryStates.filter((other) => other !== 'queued-unsure')) {
        await put(tx, state, { hasMailbox: false });
        await change(tx, delivery, event);
        expect((await read(tx)).state).not.toBe('queued-unsure');
      }
    // If it did wait, the next attempt could not hand it over, and a person would decide.
    await put(tx, 'queued-unsure', { hasMailbox: false });
    await change(tx, delivery, 'claim');
    expect((await read(tx)).state).toBe('handing-over');
    expect(await change(tx, delivery, 'hand-over')).toBeUndefined();
    await change(tx, delivery, 'cut-off');
    expect((await read(tx)).state).toBe('uncertain');
  });
});

const columns = 'status|error|sent_at|attempts|next_attempt_at|bounce_kind|enhanced_status_code';
/** In an assignment, `set`, a comma or the beginning of a part stands before the column. */
const assigns = new RegExp(`(?:\\bset|,|\`)\\s*(?:delivery_(?:${columns})|handing_over_at|unsure_since)\\s*=[^>]`);
const writesRows = /\b(?:insert into|update) mailbox_sends\b/;
/** The columns of a message, as the description of its table names them. */
const assignsDescribed = /\b(?:scrubbed|replaced)Columns\('messages'/;
const isWriter = (text: string) => [assigns, writesRows, assignsDescribed].some((writes) => writes.test(text));

describe('the columns of a delivery', () => {
  test('have one writer, besides inserts, imports and the erasure of names in error texts', async () => {
    const writers: string[] = [];
    const inserters: string[] = [];
    for await (const path of glob('src/**/*.ts')) {
      if (path.endsWith('.test.ts')) continue;
      const text = await readFile(path, 'utf8');
      if (isWriter(text)) writers.push(path);
      if (/\binsert into messages\b/.test(text)) inserters.push(path);
    }
    expect(writers.sort()).toEqual([
      'src/helpdesk/erasures/scrub-messages.ts',
      'src/operations/transfer/ticket-rows.ts',
      'src/transport/deliveries/write.ts',
    ]);
    expect(inserters.sort()).toEqual([
      'src/helpdesk/messages/insert-message.ts',
      'src/operations/transfer/ticket-rows.ts',
    ]);
  });

  test.each([
    ['a second writer', 'update messages set delivery_status = $1', true],
    ['a later column', 'set body = $1,\n      handing_over_at = null', true],
    ['a part of a statement', 'sql`unsure_since = null`', true],
    ['columns by the description', "replacedColumns('messages', 'r')", true],
    ['a mailbox that is stored', 'insert into mailbox_sends (workspace_id)', true],
    ['a condition', 'where delivery_status = any($1) and unsure_since = $2', false],
  ])('tell %s', (_name, text, is) => {
    expect(isWriter(text)).toBe(is);
  });
});
