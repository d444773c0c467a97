import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SmtpListener } from '../../src/mail/smtp-listener.ts';
import { openMailIn } from '../../src/transport/mailflow/mail-in.ts';
import { useHouse } from '../harness/harness.ts';
import { upload } from '../harness/uploads.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { makeMember, makeOwner, type Person } from '../worlds/factories.ts';
import { mailOf, ticketOf, ticketsOf } from '../worlds/mails.ts';

/** Mails that arrived at the customers' mail server, by SMTP. */
type Received = { from: string; to: string[]; bytes: Buffer };
const received: Received[] = [];

const customers = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  // The house keeps its connection open for the next mail.
  closeTimeout: 100,
  onData: async (stream, { envelope }, done) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    received.push({ from, to: envelope.rcptTo.map(({ address }) => address), bytes: Buffer.concat(chunks) });
    done();
  },
});
await new Promise<void>((resolve) => customers.listen(0, '127.0.0.1', resolve));
const { port } = customers.server.address() as AddressInfo; // The server listens on TCP, so its address is an object.

const house = useHouse({
  MAIL_FROM: 'Kontor Support <support@kontor.example>',
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  // Turns SMTP on; the tests choose the real port below.
  SMTP_LISTEN: '127.0.0.1:2525',
});
let mailIn: SmtpListener;

beforeAll(async () => {
  mailIn = await openMailIn(house.app, { host: '127.0.0.1', port: 0, tls: undefined });
});
afterAll(async () => {
  await mailIn.close();
  await new Promise<void>((resolve) => customers.close(resolve));
});

/** Sends a mail to the service, as the customer's mail server would. */
async function deliver(raw: Buffer, to: string, from = 'ann@example.org'): Promise<void> {
  expect(await sendMail(mailIn.port, { from, to: [to], raw })).toMatch(/^250 /);
  await house.drain();
}

type Sent = {
  messageId: string;
  mail: Received;
  parsed: Awaited<ReturnType<typeof PostalMime.parse>>;
  replyTo: string;
};

async function answer(agent: Person, id: string, body: Record<string, unknown> = {}): Promise<Sent> {
  const path = `/tickets/${id}/messages`;
  const { status, body: message } = await agent.call('POST', path, { body: 'Unplug it.', sendEmail: true, ...body });
  expect(status).toBe(201);
  await house.drain();
  const mail = received.at(-1);
  if (mail === undefined) throw new Error('no mail came');
  const parsed = await PostalMime.parse(mail.bytes);
  return { messageId: message.id, mail, parsed, replyTo: parsed.replyTo?.[0]?.address ?? '' };
}

/** A ticket from Ann's mail, with an agent's answer by mail. */
async function conversation() {
  const owner = await makeOwner(house);
  const agent = await makeMember(house, owner.workspaceId, 'agent', 'Ed Łukasz');
  const { address } = (await owner.call('GET', '/mail/inbound-address')).body;
  await deliver(letter({ 'Message-ID': '' }), address);
  const [{ id }] = await ticketsOf(owner);
  return { owner, agent, address, id, sent: await answer(agent, id) };
}

let letters = 0;
/** A mail from Ann with a unique subject and id, so that only its other headers connect it to another mail. */
function letter(headers: Record<string, string>, body = 'Thanks.'): Buffer {
  const own = { 'Message-ID': `<letter${++letters}@example.org>`, Subject: `Letter number ${letters}`, Date: now() };
  return mailOf({ headers: { ...own, ...headers }, body });
}

const now = () => house.clock.now().toUTCString();
const idOf = ({ parsed }: Sent) => parsed.messageId ?? '';
const referencesOf = ({ parsed }: Sent) => parsed.references ?? '';

describe('an answer with two files and an image in its text', () => {
  it('arrives unchanged, as another parser confirms', async () => {
    const { agent, id, address } = await conversation();
    const files = [
      {
        name: 'Rechnung März.pdf',
        type: 'application/pdf',
        content: Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)]),
      },
      { name: 'notes.txt', type: 'text/plain', content: Buffer.from('.\r\n..dots\r\nFrom here\nbare\n') },
      {
        name: 'plug.png',
        type: 'image/png',
        content: Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(5_000)]),
      },
    ];
    const uploads = [];
    for (const file of files) uploads.push((await upload(house, agent, id, file)).body);
    const image = uploads[2];
    const sent = await answer(agent, id, {
      body: 'Grüße,\n.\n..\nFrom Ed',
      bodyHtml: `<p>Grüße <b>Ann</b> <img src="cid:${image.contentId}"></p>`,
      attachmentIds: uploads.map((file) => file.id),
    });
    const { parsed, mail } = sent;
    expect(mail.to[0]).toBe('ann@example.org');
    expect(mail.from).toBe(sent.replyTo);
    expect(sent.replyTo).toMatch(new RegExp(`^${address.split('@')[0]}\\+[a-z2-7]{39}@kontor\\.example$`));
    expect(parsed.from).toMatchObject({ name: 'Ed Łukasz', address: 'support@kontor.example' });
    expect(parsed.to).toMatchObject([{ address: 'ann@example.org' }]);
    expect(parsed.text?.trim()).toBe('Grüße,\n.\n..\nFrom Ed');
    expect(parsed.html).toContain(`<img src="cid:${image.contentId}"`);
    expect(parsed.attachments).toHaveLength(3);
    for (const [at, file] of files.entries()) {
      const arrived = parsed.attachments.find(({ filename }) => filename === file.name);
      expect(arrived?.mimeType, file.name).toBe(uploads[at].contentType);
      expect(Buffer.from(arrived?.content as ArrayBuffer).equals(file.content), file.name).toBe(true);
    }
    const inline = parsed.attachments.find(({ filename }) => filename === 'plug.png');
    expect(inline).toMatchObject({ contentId: `<${image.contentId}>`, disposition: 'inline' });
  });
});

describe('the customer’s reply', () => {
  it('with the answer quoted lands on the ticket, its own words apart from the quote', async () => {
    const { owner, id, sent } = await conversation();
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const headers = { 'In-Reply-To': idOf(sent), References: `${referencesOf(sent)} ${idOf(sent)}` };
    const body = 'It helped!\r\n\r\nOn Mon, 2 Mar 2026 at 10:00, Ed wrote:\r\n> Unplug it.';
    await deliver(letter(headers, body), sent.replyTo);
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'open', messageCount: 3, requester: { email: 'ann@example.org' } });
    const reply = ticket.messages.find(({ replyText }: any) => replyText === 'It helped!');
    expect(reply.body).toContain('> Unplug it.');
    expect(await ticketsOf(owner)).toHaveLength(1);
  });

  const ways: [string, (sent: Sent, address: string) => { headers: Record<string, string>; to: string }][] = [
    ['In-Reply-To alone', (sent, to) => ({ headers: { 'In-Reply-To': idOf(sent) }, to })],
    ['References alone', (sent, to) => ({ headers: { References: `${referencesOf(sent)} ${idOf(sent)}` }, to })],
    [
      'the root of References alone',
      (sent, to) => ({ headers: { References: referencesOf(sent).split(' ')[0] ?? '' }, to }),
    ],
    ['the token alone', ({ replyTo }) => ({ headers: {}, to: replyTo })],
    ['the token alone, in capitals', ({ replyTo }) => ({ headers: {}, to: replyTo.toUpperCase() })],
  ];

  it.each(ways)('by %s lands on the ticket', async (_way, made) => {
    const { owner, id, address, sent } = await conversation();
    const { headers, to } = made(sent, address);
    await deliver(letter(headers), to);
    expect(await ticketsOf(owner)).toMatchObject([{ id, messageCount: 3 }]);
  });

  it.each(ways)('by %s follows the answer through a merge and back', async (_way, made) => {
    const { owner, id, address, sent } = await conversation();
    await deliver(letter({}), address, 'bob@example.org');
    const other = (await ticketsOf(owner)).find((ticket) => ticket.id !== id);
    const { headers, to } = made(sent, address);
    expect((await owner.call('POST', `/tickets/${id}/merge`, { targetTicketId: other.id })).status).toBe(200);
    await deliver(letter(headers), to);
    expect(await ticketOf(owner, other.id)).toMatchObject({ messageCount: 4 });
    expect((await owner.call('POST', `/tickets/${id}/unmerge`)).status).toBe(200);
    await deliver(letter(headers), to);
    expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 3 });
    expect(await ticketOf(owner, other.id)).toMatchObject({ messageCount: 2 });
    expect(await ticketsOf(owner)).toHaveLength(2);
  });

  it.each(ways.filter(([way]) => !way.startsWith('the root')))(
    'by %s follows the answer to a ticket that it is split off into',
    async (_way, made) => {
      const { owner, id, address, sent } = await conversation();
      const split = await owner.call('POST', `/tickets/${id}/split`, { messageIds: [sent.messageId] });
      expect(split.status).toBe(201);
      const { headers, to } = made(sent, address);
      await deliver(letter(headers), to);
      expect(await ticketOf(owner, id)).toMatchObject({ messageCount: 1 });
      expect(await ticketOf(owner, split.body.ticket.id)).toMatchObject({ messageCount: 2 });
    },
  );
});

describe('an answer that bounces', () => {
  it('is marked with the reason of the other server, and its ticket reopens', async () => {
    const { owner, id, sent } = await conversation();
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    const bounce = mailOf({
      headers: {
        From: 'MAILER-DAEMON@mx.example.org',
        To: sent.mail.from,
        Subject: 'Undelivered Mail Returned to Sender',
        Date: now(),
        'Content-Type': 'multipart/report; report-type=delivery-status; boundary=b',
      },
      body: [
        '--b\r\nContent-Type: text/plain\r\n\r\nIt could not be delivered.',
        '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n',
        [
          'Final-Recipient: rfc822; ann@example.org',
          'Action: failed',
          'Status: 5.1.1',
          'Diagnostic-Code: smtp; 550 5.1.1 No such user',
        ].join('\r\n'),
        `--b\r\nContent-Type: message/rfc822\r\n\r\n${sent.mail.bytes.toString('latin1')}`,
        '--b--',
      ].join('\r\n'),
    });
    await deliver(bounce, sent.mail.from, '');
    const ticket = await ticketOf(owner, id);
    expect(ticket).toMatchObject({ status: 'open', messageCount: 3 });
    expect(ticket.messages.find((message: any) => message.id === sent.messageId).delivery).toMatchObject({
      status: 'bounced',
      error: 'ann@example.org: the other server said “550 5.1.1 No such user”',
    });
    expect(ticket.messages.find(({ automaticKind }: any) => automaticKind === 'bounce')).toBeDefined();
    expect(await ticketsOf(owner)).toHaveLength(1);
  });
});
