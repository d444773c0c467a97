import { afterAll, expect, test } from 'vitest';
import { type House, useHouse } from '../../../test/harness/harness.ts';
import { openSmtpPeer } from '../../../test/peers/smtp-peer.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { putMailbox } from '../../../test/worlds/put-mailbox.ts';

const peer = await openSmtpPeer();
afterAll(() => peer.close());
const house = useHouse({
  ...{ NEW_RECIPIENTS_PER_DAY: '5', NEW_RECIPIENTS_PER_DAY_AND_ACCOUNT: '8' },
  ...{ SMTP_URL: peer.url, MAIL_FROM: 'support@kontor.example' },
});

test.each<[string, (pool: House['app']['db']['pool']) => Promise<unknown>, string]>([
  ['fails beyond the limit', (pool) => pool.query(`update mailboxes set status = 'disconnected'`), 'failed'],
  [
    'leaves within the limit',
    async (pool) => {
      await pool.query(`update mailboxes set status = 'disconnected'`);
      await pool.query('delete from mailed_recipients');
    },
    'sent',
  ],
])(
  'an answer whose mailbox was disconnected meanwhile, and that the mail server takes over, %s',
  async (_, change, status) => {
    const owner = await makeOwner(house);
    const toAddresses = Array.from({ length: 5 }, (_, at) => `stranger-${at}@example.net`);
    await owner.call('POST', '/tickets', { subject: 'Hello', body: 'b', sendEmail: true, toAddresses });
    const address = 'team@example.com';
    const named = { workspaceId: owner.workspaceId, address, provider: 'imap', refreshToken: 'none' } as const;
    const { id: mailboxId } = await putMailbox(house, named);
    await ingest(house, owner, [mailOf({ headers: { From: 'ann@example.org', To: '' } })]);
    const ofAnn = (await ticketsOf(owner)).at(-1);
    const { pool } = house.app.db;
    const places = [mailboxId, owner.workspaceId];
    await pool.query(`update raw_mails set mailbox_id = $1, source = 'imap' where workspace_id = $2`, places);
    await pool.query(`update tickets set mailbox_id = $1 where workspace_id = $2 and channel = 'email'`, places);
    const written = { body: 'b', sendEmail: true, sendAfterSeconds: 30 };
    const { body: message } = await owner.call('POST', `/tickets/${ofAnn.id}/messages`, written);
    await change(pool);
    await pool.query('update graphile_worker._private_jobs set run_at = now()');
    await house.drain();
    const read = async () =>
      (await owner.call('GET', `/tickets/${ofAnn.id}`)).body.messages.find(
        ({ id }: { id: string }) => id === message.id,
      ).delivery;
    expect(await read()).toMatchObject({ status });
    if (status === 'sent') return;
    expect((await read()).error).toContain('connect the mailbox again');
    house.clock.advance(86_401_000);
    const authorization = `Bearer ${house.app.tokens.sign(owner)}`;
    const again = await owner.call('POST', `/tickets/${ofAnn.id}/messages/${message.id}/retry`, {}, { authorization });
    expect(again.status).toBe(200);
    await house.drain();
    const { rows } = await pool.query('select delivery_status from messages where id = $1', [message.id]);
    expect(rows).toEqual([{ delivery_status: 'sent' }]);
  },
);
