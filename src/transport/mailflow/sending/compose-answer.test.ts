import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParsedMail } from '@kontor/mail/mail.ts';
import { parseMail } from '@kontor/mail/parse.ts';
import { readReplyToken } from '@kontor/mail/threading.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { inventedId, makeMember, makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf } from '../../../../test/worlds/mails.ts';
import { getInboundAddress } from '../../../access/workspaces/inbound-address.ts';
import type { MessageId } from '../../../ground/lib/ids.ts';
import type { OutgoingMail } from '../../../mail/transport.ts';
import { deliverMail } from './deliver.ts';
import { replyAddressOf } from './reply-address.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@desk.example>' });
let owner: Person;
let agent: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
  agent = await makeMember(house, owner.workspaceId, 'agent', 'Änne, "die" Agentin');
});

let subjects = 0;
async function ticketFrom(headers: Record<string, string> = {}, of = owner): Promise<any> {
  const subject = `The printer number ${++subjects} is broken`;
  await ingest(house, of, [mailOf({ headers: { Subject: subject, ...headers } })]);
  const [newest] = (await of.call('GET', '/tickets?sort=updatedAt')).body;
  return ticketOf(of, newest.id);
}

async function upload(
  ticket: { id: string },
  name: string,
  content: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<any> {
  const form = new FormData();
  form.append('file', new Blob([content], { type }), name);
  const answer = await fetch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'x-workspace-id': owner.workspaceId },
    body: form,
  });
  expect(answer.status).toBe(201);
  return answer.json();
}

async function answer(ticket: { id: string }, input: object = {}): Promise<any> {
  const { status, body } = await agent.call('POST', `/tickets/${ticket.id}/messages`, {
    body: 'Try again.',
    sendEmail: true,
    ...input,
  });
  expect(status).toBe(201);
  return body;
}

/** The mail of a message, as sent. */
async function mailFor({ id }: { id: string }): Promise<{ raw: string; mail: ParsedMail }> {
  await house.drain();
  const raw = (await house.outbox()).find((text) => text.includes(`Message-ID: <${id.replaceAll('-', '')}@`)) ?? '';
  return { raw, mail: await parseMail(Buffer.from(raw, 'latin1')) };
}

const hasBytes = (file: { content: Uint8Array } | undefined, bytes: Uint8Array) =>
  Buffer.compare(file?.content ?? Buffer.alloc(0), bytes) === 0;

const rootOf = ({ id }: { id: string }) => `ticket.${id.replaceAll('-', '')}@desk.example`;
const idOf = ({ id }: { id: string }) => `${id.replaceAll('-', '')}@desk.example`;

describe('the mail of an answer', () => {
  test('has its author’s signature above the quote, with its formatting', async () => {
    const writer = await makeMember(house, owner.workspaceId, 'agent', 'Sig Ned');
    const html = '<p>Sig Ned, <b>Acme</b></p>';
    const signatures = [{ workspaceId: owner.workspaceId, html }];
    expect((await writer.call('PATCH', '/v1/me/preferences', { signatures })).status).toBe(200);
    const ticket = await ticketFrom();
    const input = { body: 'Try again.', sendEmail: true, quote: 'last' };
    const { body: message } = await writer.call('POST', `/tickets/${ticket.id}/messages`, input);
    expect(message.body).not.toContain('Acme');
    const { mail } = await mailFor(message);
    expect(mail.text).toMatch(/^Try again\.\s+-- \nSig Ned, Acme\n+.*wrote:\n+> It does not work\./s);
    expect(mail.html).toMatch(/Try again\..*-- .*Sig Ned, <b>Acme<\/b>.*It does not work\./s);
    const plain = await mailFor(await answer(ticket, { quote: 'last' }));
    expect(plain.mail.text).not.toContain('Acme');
  });

  test('is from the agent, has the message’s reply address, and continues its thread', async () => {
    const ticket = await ticketFrom({ 'Message-ID': '<first@example.org>', Subject: 'AW: Prïnter' });
    const message = await answer(ticket);
    const { mail, raw } = await mailFor(message);
    expect(mail).toMatchObject({
      from: { name: 'Änne, "die" Agentin', email: 'support@desk.example' },
      to: [{ email: 'ann@example.org' }],
      subject: 'Re: Prïnter',
      inReplyTo: ['first@example.org'],
      references: [rootOf(ticket), 'first@example.org'],
      html: null,
    });
    expect(raw).not.toMatch(/auto-submitted|precedence|list-/i);
    const [replyTo] = mail.replyTo;
    const { replyKey } = await getInboundAddress(house.app.db, owner.workspaceId);
    expect(replyTo?.email).toMatch(/^support\+[a-z2-7]{39}@desk\.example$/);
    expect(readReplyToken(replyTo?.email ?? '', replyKey)).toBe(message.id);
  });

  test('shows mentions as plain names', async () => {
    const ticket = await ticketFrom();
    const message = await answer(ticket, {
      body: `Ask @[Änne](user:${agent.userId}).`,
      bodyHtml: `<p>Ask <span class="mention" data-user="${agent.userId}">@Änne</span>.</p>`,
    });
    const { mail, raw } = await mailFor(message);
    expect(mail).toMatchObject({ text: 'Ask @Änne.', html: '<p>Ask @Änne.</p>' });
    expect(raw).not.toContain(agent.userId);
  });

  test('of a ticket without inbound mail has the plain subject, the next one Re:', async () => {
    const { body: ticket } = await agent.call('POST', '/tickets', {
      subject: 'Our offer',
      body: 'Here it is.',
      sendEmail: true,
      toAddresses: ['new@example.org'],
    });
    const [first] = (await ticketOf(owner, ticket.id)).messages;
    const { mail } = await mailFor(first);
    expect(mail).toMatchObject({ subject: 'Our offer', inReplyTo: [], references: [rootOf(ticket)] });
    const next = await mailFor(await answer(ticket));
    expect(next.mail).toMatchObject({
      subject: 'Re: Our offer',
      inReplyTo: [idOf(first)],
      references: [rootOf(ticket), idOf(first)],
    });
  });

  test('reveals no notes, unsent messages, or other parties’ mail, even after a merge', async () => {
    const ticket = await ticketFrom({ 'Message-ID': '<ann@example.org>' });
    const other = await ticketFrom({ From: 'Bob <bob@example.org>', 'Message-ID': '<bob@secret.example>' });
    await answer(other, { isInternal: true, body: 'a secret note' });
    const toBob = await answer(other);
    await mailFor(toBob);
    const stopped = await answer(ticket, { sendAfterSeconds: 60 });
    await agent.call('POST', `/tickets/${ticket.id}/messages/${stopped.id}/cancel`);
    await owner.call('POST', `/tickets/${other.id}/merge`, { targetTicketId: ticket.id });
    const { raw, mail } = await mailFor(await answer(ticket, { toAddresses: ['ann@example.org'] }));
    expect(mail).toMatchObject({ inReplyTo: ['ann@example.org'], references: [rootOf(ticket), 'ann@example.org'] });
    expect(raw).not.toMatch(/secret/);
    expect(raw).not.toContain(idOf(toBob));
    const both = await mailFor(await answer(ticket, { toAddresses: ['bob@example.org'] }));
    expect(both.mail.references).toEqual([rootOf(ticket), idOf(toBob), 'bob@secret.example']);
  });

  test('references the new ticket’s root and its messages after a split', async () => {
    const ticket = await ticketFrom({ 'Message-ID': '<one@example.org>' });
    await ingest(house, owner, [
      mailOf({ headers: { 'Message-ID': '<two@example.org>', 'In-Reply-To': '<one@example.org>' } }),
    ]);
    const moved = (await ticketOf(owner, ticket.id)).messages.at(-1).id;
    const split = await owner.call('POST', `/tickets/${ticket.id}/split`, { messageIds: [moved] });
    const { mail } = await mailFor(await answer(split.body.ticket));
    expect(mail).toMatchObject({
      inReplyTo: ['two@example.org'],
      references: [rootOf(split.body.ticket), 'two@example.org'],
    });
  });

  test('is found by a reply that kept only the root id', async () => {
    const ticket = await ticketFrom();
    await mailFor(await answer(ticket));
    await ingest(house, owner, [
      mailOf({ headers: { Subject: 'x', References: `<${rootOf(ticket)}>`, From: 'z@example.org' } }),
    ]);
    expect((await ticketOf(owner, ticket.id)).messages).toHaveLength(3);
  });
});

describe('files', () => {
  test('are shown inline where the HTML refers to them, and are attached otherwise', async () => {
    const ticket = await ticketFrom();
    const image = randomBytes(300_000);
    const text = Buffer.from('Grüße\r\n.\r\nFrom here\n');
    const shown = await upload(ticket, 'fläche.png', image, 'image/png');
    const hung = await upload(ticket, 'r\u00e9sum\u00e9 "2".txt', text, 'text/plain');
    const message = await answer(ticket, {
      bodyHtml: `<p>See <img src="cid:${shown.contentId}"></p>`,
      attachmentIds: [hung.id, shown.id],
    });
    expect(message.attachments.map(({ id, isInline }: any) => [id, isInline]).toSorted()).toEqual(
      [
        [shown.id, true],
        [hung.id, false],
      ].toSorted(),
    );
    const { raw, mail } = await mailFor(message);
    expect(raw).toMatch(/multipart\/related/);
    expect(mail.html).toContain(`cid:${shown.contentId}`);
    const files = new Map(mail.attachments.map((file) => [file.fileName, file]));
    expect(files.get('fläche.png')).toMatchObject({ contentId: shown.contentId });
    expect(hasBytes(files.get('fläche.png'), image)).toBe(true);
    expect(files.get(hung.fileName)).toMatchObject({ contentId: null });
    expect(hasBytes(files.get(hung.fileName), text)).toBe(true);
  });

  test('that the store has lost stop the mail, and its error says so', async () => {
    const ticket = await ticketFrom();
    const file = await upload(ticket, 'gone.txt', Buffer.from(`${ticket.id}`), 'text/plain');
    const message = await answer(ticket, { attachmentIds: [file.id] });
    const { workspaceId } = owner;
    await rm(join(house.dataDir, 'blobs', workspaceId, file.sha256.slice(0, 2), file.sha256));
    await house.drain();
    const { delivery } = (await ticketOf(owner, ticket.id)).messages.at(-1);
    expect(delivery).toMatchObject({ status: 'queued', attempts: 1 });
    expect(delivery.error).toContain('gone.txt is missing');
    expect((await house.outbox()).join('')).not.toContain(`${message.id.replaceAll('-', '')}@desk`);
  });
});

describe('the reply address', () => {
  async function envelopeOf(settings: object): Promise<OutgoingMail | undefined> {
    const ticket = await ticketFrom();
    const message = await answer(ticket);
    let sent: OutgoingMail | undefined;
    const mail = {
      send: async (outgoing: OutgoingMail) => {
        sent = outgoing;
        return { ok: true as const };
      },
      close: async () => {},
    };
    const app = { ...house.app, mail, config: { ...house.app.config, ...settings } };
    await deliverMail(app, { workspaceId: owner.workspaceId, messageId: message.id }, { attempt: 1, attemptsMax: 3 });
    return sent;
  }

  test('is the sender’s address without inbound SMTP, also for bounces', async () => {
    expect(await envelopeOf({ smtpListen: undefined })).toMatchObject({
      envelopeFrom: 'support@desk.example',
      recipients: ['ann@example.org'],
    });
  });

  test('is the workspace’s own address with inbound SMTP, also for bounces', async () => {
    const { localPart } = await getInboundAddress(house.app.db, owner.workspaceId);
    const sent = await envelopeOf({ smtpListen: { host: '127.0.0.1', port: 25, tls: undefined } });
    expect(sent?.envelopeFrom).toMatch(new RegExp(`^${localPart}\\+[a-z2-7]{39}@desk\\.example$`));
    expect(sent?.envelopeFrom.indexOf('@')).toBeLessThanOrEqual(64);
  });

  const messageId = inventedId<MessageId>('0190d6a0-1234-7abc-8def-0123456789ab');

  test('has its domain in the form of DNS, like the address that the workspace sees', () => {
    const smtpListen = { host: '127.0.0.1', port: 25, tls: undefined };
    const config = { mailFrom: { name: null, email: 'hilfe@Bücher.example' }, smtpListen };
    const inbound = { localPart: 'inbox-1', replyKey: randomBytes(32) };
    expect(replyAddressOf(config, inbound, messageId)).toMatch(/@xn--bcher-kva\.example$/);
  });

  test('has no token when it would become too long', () => {
    const email = `${'a'.repeat(40)}@desk.example`;
    const config = { mailFrom: { name: null, email }, smtpListen: undefined };
    const inbound = { localPart: 'inbox-1', replyKey: randomBytes(32) };
    expect(replyAddressOf(config, inbound, messageId)).toBe(email);
  });
});
