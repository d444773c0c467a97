import type { ParsedMail } from '@kontor/mail/mail.ts';
import { parseMail } from '@kontor/mail/parse.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf } from '../../../test/worlds/mails.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@desk.example>' });
let owner: Person;

beforeAll(async () => {
  owner = await makeOwner(house);
});

let subjects = 0;
async function ticketFrom(mail: Parameters<typeof mailOf>[0] = {}): Promise<any> {
  const { headers, ...rest } = mail;
  await ingest(house, owner, [mailOf({ ...rest, headers: { Subject: `Lamp ${++subjects}`, ...headers } })]);
  const [newest] = (await owner.call('GET', '/tickets?sort=updatedAt')).body;
  return ticketOf(owner, newest.id);
}

const append = (ticket: { id: string }, input: object) =>
  owner.call('POST', `/tickets/${ticket.id}/messages`, { sendEmail: true, ...input });

async function answer(ticket: { id: string }, input: object): Promise<{ message: any; mail: ParsedMail }> {
  const { status, body } = await append(ticket, input);
  expect(status, JSON.stringify(body)).toBe(201);
  await house.drain();
  const raw =
    (await house.outbox()).find((text) => text.includes(`Message-ID: <${body.id.replaceAll('-', '')}@`)) ?? '';
  const mail = await parseMail(Buffer.from(raw, 'latin1'));
  return { message: body, mail: { ...mail, text: mail.text.trimEnd() } };
}

const said = /^On \w{3}, \d+ \w{3,4} \d{4}(?:,| at) \d\d:\d\d UTC, Ann Example <ann@example\.org> wrote:$/m;

describe('an answer quotes', () => {
  test('nothing unless requested', async () => {
    const { mail, message } = await answer(await ticketFrom({ body: 'It is dark.' }), { body: 'Hm.' });
    expect(mail.text).toBe('Hm.');
    expect(message).toMatchObject({ replyText: null, newHtml: null, quotedHtml: null });
  });

  test('the last mail, in text and HTML, collapsed in the inbox', async () => {
    const ticket = await ticketFrom({ body: 'It is dark.\n\nWhat now?' });
    const { mail, message } = await answer(ticket, { bodyHtml: '<p>Press the <b>button</b>.</p>', quote: 'last' });
    expect(mail.text).toMatch(/^Press the button\.\n\nOn /);
    expect(mail.text).toMatch(said);
    expect(mail.text).toMatch(/\n> It is dark\.\n>\n> What now\?$/);
    expect(mail.html).toMatch(/^<p>Press the <b>button<\/b>\.<\/p><br \/><div class="gmail_quote">.*It is dark\./s);
    expect(message).toMatchObject({ replyText: 'Press the button.', newHtml: '<p>Press the <b>button</b>.</p><br />' });
    expect(message.quotedHtml).toContain('It is dark.');
  });

  test('the thread, without its mails’ own quotes and without notes', async () => {
    const ticket = await ticketFrom({ body: 'It is dark.', headers: { 'Message-ID': '<dark@example.org>' } });
    await append(ticket, { body: 'A secret thought', isInternal: true, sendEmail: false });
    const first = await answer(ticket, { body: 'Press the button.', quote: 'thread' });
    await ingest(house, owner, [
      mailOf({
        body: `Now it is green.\n\n${first.mail.text.replace(/^/gm, '> ')}`,
        headers: { 'Message-ID': '<green@example.org>', 'In-Reply-To': '<dark@example.org>' },
      }),
    ]);
    const { mail } = await answer(ticket, { body: 'Twice.', quote: 'thread' });
    const quoted = mail.text.split('\n').filter((line) => line.startsWith('>'));
    expect(quoted).toEqual(['> Now it is green.', '> Press the button.', '> It is dark.']);
    expect(mail.html).toBeNull();
  });

  test('of a thread only as many mails as fit in 2 MB, the newest first, and the newest however long', async () => {
    const send = (word: string, text: string) =>
      mailOf({
        body: `${word}\n${`${text.repeat(50)}\n`.repeat(1_200)}`,
        headers: {
          'Message-ID': `<${word}@example.org>`,
          'Content-Type': 'text/plain; charset=utf-8',
          ...(word !== 'oldest' && { 'In-Reply-To': '<oldest@example.org>' }),
        },
      });
    const quotedIn = ({ text }: ParsedMail) => text.match(/^> (?:oldest|older|newer|newest)$/gm);
    const ticket = await ticketFrom({ body: 'oldest\nThe lamp', headers: { 'Message-ID': '<oldest@example.org>' } });
    await ingest(house, owner, [send('older', 'The lamp is dark. ')]);
    await ingest(house, owner, [send('newer', 'The lamp is dark. ')]);
    const { mail } = await answer(ticket, { body: 'Hello.', quote: 'thread' });
    expect(quotedIn(mail)).toEqual(['> newer', '> older']);
    await ingest(house, owner, [send('newest', 'ランプが暗い。')]);
    const { mail: next } = await answer(ticket, { body: 'Hello.', quote: 'thread' });
    expect(quotedIn(next)).toEqual(['> newest']);
  });

  test('no mail of other parties from a merged ticket', async () => {
    const ticket = await ticketFrom({ body: 'From Ann.' });
    const other = await ticketFrom({ body: 'From Bob.', headers: { From: 'Bob <bob@example.org>' } });
    await owner.call('POST', `/tickets/${other.id}/merge`, { targetTicketId: ticket.id });
    const { mail } = await answer(ticket, { body: 'Hello.', quote: 'thread', toAddresses: ['ann@example.org'] });
    expect(mail.text).toContain('> From Ann.');
    expect(mail.text).not.toContain('From Bob.');
  });

  test('with inline images, whose bytes are stored once', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    );
    const raw = Buffer.from(
      [
        'From: Ann <ann@example.org>',
        'To: support@desk.example',
        'Subject: A picture',
        'Message-ID: <picture@example.org>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/related; boundary=b',
        '',
        '--b',
        'Content-Type: text/html',
        '',
        '<p>See <img src="cid:lamp@x"> <img src="https://example.org/logo.png"></p>',
        '--b',
        'Content-Type: image/png; name=lamp.png',
        'Content-ID: <lamp@x>',
        'Content-Disposition: inline; filename=lamp.png',
        'Content-Transfer-Encoding: base64',
        '',
        png.toString('base64'),
        '--b--',
        '',
      ].join('\r\n'),
    );
    await ingest(house, owner, [raw]);
    const [newest] = (await owner.call('GET', '/tickets?sort=updatedAt')).body;
    const ticket = await ticketOf(owner, newest.id);
    const { mail, message } = await answer(ticket, { bodyHtml: '<p>Nice.</p>', quote: 'last' });
    expect(mail.attachments).toMatchObject([{ contentId: 'lamp@x' }]);
    expect(mail.html).toContain('src="https://example.org/logo.png"');
    expect(message.bodyHtml).toContain('data-src="https://example.org/logo.png"');
    const [original] = ticket.messages[0].attachments;
    const [copy] = (await ticketOf(owner, ticket.id)).messages.at(-1).attachments;
    expect(copy).toMatchObject({ sha256: original.sha256, isInline: true });
    expect(copy.id).not.toBe(original.id);
  });

  test('nothing in a note', async () => {
    const ticket = await ticketFrom();
    const refused = await append(ticket, { body: 'x', quote: 'last', isInternal: true });
    expect(refused).toMatchObject({ status: 400, body: { params: { issues: [{ path: 'body.quote' }] } } });
  });
});

describe('a message is forwarded', () => {
  test('with its files and header, only to the named recipients, as a new mail', async () => {
    const ticket = await ticketFrom({ body: 'Broken.', headers: { 'Message-ID': '<broken@example.org>' } });
    const [original] = ticket.messages;
    const { mail, message } = await answer(ticket, { forwardOf: original.id, toAddresses: ['maker@example.net'] });
    expect(mail).toMatchObject({
      to: [{ email: 'maker@example.net' }],
      cc: [],
      subject: `Fwd: ${ticket.subject}`,
      inReplyTo: [],
    });
    expect(mail.text).toMatch(
      /^-+ Forwarded message -+\nFrom: Ann Example <ann@example\.org>\nDate: .+\nSubject: Lamp \d+\n/,
    );
    expect(mail.text).toMatch(/\n\nBroken\.$/);
    expect(message).toMatchObject({ forwardOf: original.id, replyText: null });
    const commented = await answer(ticket, {
      body: 'Please look.',
      forwardOf: original.id,
      toAddresses: ['maker@example.net'],
    });
    expect(commented.mail.text).toMatch(/^Please look\.\n\n-+ Forwarded/);
    expect(commented.message.replyText).toBe('Please look.');
  });

  test('with files by reference, which stay when the original moves', async () => {
    const ticket = await ticketFrom();
    const form = new FormData();
    form.append('file', new Blob(['a report']), 'report.txt');
    const upload = await fetch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'x-workspace-id': owner.workspaceId },
      body: form,
    });
    const { id: attachmentId } = (await upload.json()) as { id: string };
    const sent = await answer(ticket, { body: 'Here.', attachmentIds: [attachmentId] });
    const { mail } = await answer(ticket, { forwardOf: sent.message.id, toAddresses: ['maker@example.net'] });
    expect(mail.attachments.map(({ content }) => Buffer.from(content).toString())).toEqual(['a report']);
    expect(mail.text).toContain('From: support@desk.example');
    expect(mail.text).not.toContain(owner.email);
  });

  test('unless it is a note, of another ticket, or without recipients', async () => {
    const ticket = await ticketFrom();
    const other = await ticketFrom();
    const { body: note } = await append(ticket, { body: 'secret', isInternal: true, sendEmail: false });
    const to = { toAddresses: ['maker@example.net'] };
    for (const [input, path] of [
      [{ ...to, forwardOf: note.id }, 'body.forwardOf'],
      [{ ...to, forwardOf: other.messages[0].id }, 'body.forwardOf'],
      [{ forwardOf: ticket.messages[0].id }, 'body.toAddresses'],
      [{ ...to, forwardOf: ticket.messages[0].id, sendEmail: false }, 'body.forwardOf'],
    ] as const)
      expect((await append(ticket, input)).body.params?.issues?.[0]?.path).toBe(path);
  });
});

test('text is derived from HTML, and one of the two is required', async () => {
  const ticket = await ticketFrom();
  const { mail, message } = await answer(ticket, {
    bodyHtml: '<p>One</p><p>Two <a href="https://x.example">x</a></p>',
  });
  expect(message.body).toBe('One\n\nTwo x [https://x.example]');
  expect(mail.text).toBe(message.body);
  for (const input of [{}, { bodyHtml: '<p> </p>' }, { bodyHtml: '<script>x</script>' }])
    expect((await append(ticket, input)).body.params?.issues?.[0]?.path).toBe('body.body');
  const created = await owner.call('POST', '/tickets', { subject: 'x', bodyHtml: '<p>Three</p>' });
  expect((await ticketOf(owner, created.body.id)).messages[0].body).toBe('Three');
});
