import { parseMail } from '@kontor/mail/parse.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { ingestNow } from '../../../test/harness/ingest-now.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { hostedDesk, openHosted } from '../../../test/worlds/hosted-desk.ts';
import { sql } from '../../ground/database/sql.ts';
import { type MessageId, newId, type TicketId } from '../../ground/lib/ids.ts';
import { findSentMessage } from '../../helpdesk/messages/mail-ids.ts';
import { resendWaiting } from '../deliveries/resend-waiting.ts';

const hosted = await openHosted(() => house.clock?.now() ?? new Date());
afterAll(() => hosted.close());
const house = useHouse({ ...hosted.settings, MAIL_FROM: 'Support <support@desk.example>' });
const side = hosted.sides['mail-b'];
const address = 'help@shop.example';
let owner: Person;
let agent: Person;
let mailboxId: string;
const desk = hostedDesk(house, side, () => ({ owner, agent }));
const { run, write, deliveryOf, ticketOf } = desk;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Ann Agent');
  mailboxId = await desk.connect(address, { signature: 'Shop & Co\n<Support>' });
});

async function sendOf(messageId: MessageId): Promise<{ threadId: string; wireMessageId: string }> {
  return house.app.db.one(sql`
    select thread_id as "threadId", wire_message_id as "wireMessageId"
    from mailbox_sends where workspace_id = ${owner.workspaceId} and message_id = ${messageId}`);
}

async function answer(ticketId: TicketId, input: object = {}): Promise<MessageId> {
  const { status, body: message } = await agent.call('POST', `/tickets/${ticketId}/messages`, {
    body: 'And now?',
    sendEmail: true,
    ...input,
  });
  expect(status).toBe(201);
  await run(house.app, { messageId: message.id });
  return message.id;
}

/** Syncs the mailbox, and ingests its new mail. */
async function fetchMail(): Promise<void> {
  await syncMailbox(house.app, { workspaceId: owner.workspaceId, mailboxId });
  await ingestNow(house.app, owner.workspaceId);
}

describe('an answer through a mailbox', () => {
  test('has its address, agent’s name and signature, and is known by the id that the customer sees', async () => {
    const sent = await write(mailboxId, { bodyHtml: '<p>Try <b>again</b>.</p>' });
    await run(house.app, sent);
    expect(await deliveryOf(sent)).toMatchObject({ status: 'sent', attempts: 1, error: null });
    const [raw = Buffer.from('')] = side.received(sent.to);
    const mail = await parseMail(raw);
    expect(mail).toMatchObject({
      from: { name: 'Ann Agent', email: address },
      replyTo: [],
      text: expect.stringMatching(/^Try again\.\s+-- \nShop & Co\n<Support>\s*$/),
      html: expect.stringMatching(/<b>again<\/b>.*-- <br>\s*Shop &amp; Co<br>\s*&lt;Support&gt;/s),
    });
    expect(raw.toString()).toMatch(/^X-Kontor-Message-ID:\s+<\w+@desk\.example>\r?$/m);
    expect(await ticketOf(sent)).toMatchObject({ mailboxId, messages: [{ body: 'Try again.' }] });
    const { wireMessageId } = await sendOf(sent.messageId);
    expect(mail.messageId).toBe(wireMessageId);
    expect(await findSentMessage(house.app.db, owner.workspaceId, wireMessageId)).toBe(sent.messageId);
  });

  test('references the previous mail by the id that recipients know, and continues its thread', async () => {
    const first = await write(mailboxId);
    await run(house.app, first);
    const secondId = await answer(first.ticketId);
    const [one, two] = [await sendOf(first.messageId), await sendOf(secondId)];
    expect(two.threadId).toBe(one.threadId);
    const mail = await parseMail(side.received(first.to)[1] ?? Buffer.from(''));
    expect(mail.inReplyTo).toEqual([one.wireMessageId]);
  });

  test('continues the customer’s thread with its subject, even after the ticket was renamed', async () => {
    await fetchMail();
    const threads = side.threadsIn(address);
    await side.deliver(address, { from: 'cora@customer.example', subject: 'AW: Grüße vom Drucker', text: 'It burns.' });
    await fetchMail();
    const [ticket] = (await owner.call('GET', '/tickets')).body;
    expect(ticket).toMatchObject({ mailboxId, requester: { email: 'cora@customer.example' } });
    await agent.call('PATCH', `/tickets/${ticket.id}`, { subject: 'Warranty case 4711' });
    await answer(ticket.id);
    const mail = await parseMail(side.received('cora@customer.example')[0] ?? Buffer.from(''));
    expect(mail.subject).toBe('Re: Grüße vom Drucker');
    expect(side.threadsIn(address)).toBe(threads + 1);
  });

  test('adds no message when the mailbox lists its copy', async () => {
    const sent = await write(mailboxId);
    await run(house.app, sent);
    await fetchMail();
    expect((await ticketOf(sent)).messages).toHaveLength(1);
  });

  test('that bounces is found by the id under which it left', async () => {
    const bounced = await write(mailboxId);
    side.bounceFrom(bounced.to);
    await run(house.app, bounced);
    await fetchMail();
    expect(await deliveryOf(bounced)).toMatchObject({ status: 'bounced' });
  });

  test('carries its files', async () => {
    const { ticketId, to } = await write(mailboxId);
    const form = new FormData();
    form.append('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'Über sicht.csv');
    const upload = await fetch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets/${ticketId}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.token}`, 'x-workspace-id': owner.workspaceId },
      body: form,
    });
    const { id } = (await upload.json()) as { id: string };
    await answer(ticketId, { attachmentIds: [id] });
    const { attachments } = await parseMail(side.received(to)[0] ?? Buffer.from(''));
    expect(attachments.map(({ fileName, content }) => [fileName, Buffer.from(content).toString()])).toEqual([
      ['Über sicht.csv', 'a,b\n1,2\n'],
    ]);
  });

  test('can be cancelled until an attempt claims it', async () => {
    const cancelled = await write(mailboxId);
    await desk.steer('cancel', cancelled);
    await run(house.app, cancelled);
    expect(side.received(cancelled.to)).toHaveLength(0);
    const late = await write(mailboxId);
    const app = desk.bent((account) => ({
      send: async (mail, steps) => {
        expect((await desk.steer('cancel', late)).status).toBe(409);
        return account.send(mail, steps);
      },
    }));
    await run(app, late);
    expect(await deliveryOf(late)).toMatchObject({ status: 'sent' });
  });

  test('that its job postpones has a waiting job', async () => {
    await house.drain();
    const early = await write(mailboxId);
    side.throttleSend(300);
    await house.drain();
    expect(await deliveryOf(early)).toMatchObject({ status: 'queued', attempts: 1 });
    const jobs = await house.app.db.rows(sql`
      select attempts, max_attempts as "attemptsMax", run_at > now() + interval '4 minutes' as waits
      from graphile_worker.jobs where key = ${`mail.deliver:${early.messageId}`}`);
    expect(jobs).toEqual([{ attempts: 0, attemptsMax: 18, waits: true }]);
  });

  test('waits while the mailbox is paused, and a resume does not shorten the undo delay', async () => {
    const pausedId = await desk.connect('paused@shop.example');
    const waiting = await write(pausedId);
    const held = await write(pausedId, { sendAfterSeconds: 60 });
    await owner.call('POST', `/mailboxes/${pausedId}/pause`);
    await expect(run(house.app, waiting)).rejects.toThrow('for now: paused');
    expect(await deliveryOf(waiting)).toMatchObject({ status: 'queued', error: expect.stringContaining('is paused') });
    await owner.call('POST', `/mailboxes/${pausedId}/resume`);
    await resendWaiting(house.app.db, { workspaceId: owner.workspaceId, mailboxId: pausedId });
    const jobs = await house.app.db.rows<{ key: string }>(sql`
      select key from graphile_worker.jobs where key like 'mail.deliver:%' and run_at <= now() and attempts = 0`);
    const keys = jobs.map(({ key }) => key);
    expect(keys).toContain(`mail.deliver:${waiting.messageId}`);
    expect(keys).not.toContain(`mail.deliver:${held.messageId}`);
  });
});

test('an answer whose draft is gone and whose copy appears late is not sent again', async () => {
  const { graph, sides } = hosted;
  const office = hostedDesk(house, sides['mail-a'], () => ({ owner, agent }));
  const cut = await office.write(await office.connect('help@office.example'));
  graph.behave({ sentDelayMs: 20 * 60_000 });
  sides['mail-a'].failSend({ isCarriedOut: true });
  await expect(run(house.app, cut)).rejects.toThrow('for now');
  house.clock.advance(10 * 60_000);
  await expect(run(house.app, cut, 2)).rejects.toThrow('for now: unsure');
  await graph.advance(20 * 60_000);
  await run(house.app, cut, 3);
  expect(await deliveryOf(cut)).toMatchObject({ status: 'sent', error: null });
  expect(sides['mail-a'].received(cut.to)).toHaveLength(1);
});

describe('of a disconnected mailbox', () => {
  /** The service has a mail server; it writes to the outbox all the same. */
  const bySmtp = () => {
    const { app } = house;
    return { ...app, config: { ...app.config, mail: { kind: 'smtp' as const, url: 'smtp://mail.example' } } };
  };

  test('an answer fails where no mail server is set, and does not become a file', async () => {
    const goneId = await desk.connect('closed@shop.example');
    const sent = await write(goneId);
    await owner.call('DELETE', `/mailboxes/${goneId}`);
    await run(house.app, sent);
    const error = expect.stringContaining('the mailbox is disconnected');
    expect(await deliveryOf(sent)).toMatchObject({ status: 'failed', isFile: false, error });
    expect((await house.outbox()).filter((raw) => raw.includes(`To: ${sent.to}`))).toEqual([]);
  });

  test('an answer goes by SMTP', async () => {
    const goneId = await desk.connect('gone@shop.example');
    const sent = await write(goneId);
    expect((await owner.call('DELETE', `/mailboxes/${goneId}`)).status).toBe(204);
    await run(bySmtp(), sent);
    expect(await deliveryOf(sent)).toMatchObject({ status: 'sent' });
    expect((await house.outbox()).at(-1)).toContain(`To: ${sent.to}`);
    expect(side.received(sent.to)).toHaveLength(0);
  });

  test('an answer that was being sent is uncertain, and goes by SMTP when an agent sends it again', async () => {
    const lostId = await desk.connect('lost@shop.example');
    const lost = await write(lostId);
    side.failSend({ isCarriedOut: false });
    await expect(run(house.app, lost)).rejects.toThrow('for now');
    await owner.call('DELETE', `/mailboxes/${lostId}`);
    await run(house.app, lost, 2);
    const error = expect.stringContaining('disconnected');
    expect(await deliveryOf(lost)).toMatchObject({ status: 'uncertain', error });
    await desk.steer('retry', lost);
    await run(bySmtp(), lost);
    expect(await deliveryOf(lost)).toMatchObject({ status: 'sent' });
    expect((await house.outbox()).at(-1)).toContain(`To: ${lost.to}`);
  });
});

describe('a new ticket', () => {
  test('may name only a connected mailbox of its workspace', async () => {
    const goneId = await desk.connect('former@shop.example');
    await owner.call('DELETE', `/mailboxes/${goneId}`);
    const stranger = await makeOwner(house);
    const create = (person: Person, id: string | null) =>
      person.call('POST', '/tickets', { subject: 's', body: 'b', mailboxId: id });
    for (const [person, id] of [
      [agent, goneId],
      [agent, newId()],
      [stranger, mailboxId],
    ] as const) {
      const { status, body } = await create(person, id);
      expect([status, body.params.issues[0].path]).toEqual([400, 'body.mailboxId']);
    }
    expect(await create(agent, null)).toMatchObject({ status: 201, body: { mailboxId: null } });
  });

  test('cannot be addressed to a mailbox of the workspace', async () => {
    const mail = { subject: 's', body: 'b', sendEmail: true, mailboxId };
    expect((await agent.call('POST', '/tickets', { ...mail, toAddresses: [`Help+x@shop.example`] })).status).toBe(400);
  });
});
