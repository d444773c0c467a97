import { describe, expect, test } from 'vitest';
import { dsn, originalHeaders, readLines, typed } from '../../../test/worlds/report-mails.ts';

describe('a standard report', () => {
  test.each([
    ['failed', '5.1.1', 'bounce'],
    ['Failed (expired)', '4.4.7', 'bounce'],
    ['delayed', '4.4.1', 'delay'],
    ['delivered', '2.1.5', 'delivered'],
    ['relayed', '2.1.5', 'delivered'],
    ['expanded', '2.1.5', 'delivered'],
    ['unheard-of', '4.2.2', 'delay'],
  ])('with the action %s and the status %s is a %s', async (action, status, kind) => {
    const report = await readLines(dsn(action, status));
    expect(report?.kind).toBe(kind);
    expect(report?.originalMessageId).toBe('out-1@shop.example');
    expect(report?.recipients).toMatchObject([
      { address: 'eva@home.example', status, diagnostic: '550 5.1.1 <eva@home.example>: no such user' },
    ]);
  });

  test('returns our Message-ID of the enclosed mail, and the mails that it answers', async () => {
    const enclosed = [
      'X-Kontor-Message-ID: <ours@shop.example>',
      'References: <root@shop.example>',
      ' <first@home.example>',
      'In-Reply-To: <last@home.example>',
    ];
    const lines = dsn('failed', '5.1.1').flatMap((line) =>
      line === originalHeaders[0] ? [line, ...enclosed] : [line],
    );
    expect(await readLines(lines)).toMatchObject({
      originalMessageId: 'out-1@shop.example',
      originalOwnId: 'ours@shop.example',
      originalThreadIds: ['last@home.example', 'first@home.example', 'root@shop.example'],
    });
  });

  test('about several recipients is a bounce when one of them failed', async () => {
    const fields = [
      'Final-Recipient: rfc822;a@b.example',
      'Action: delayed',
      'Status: 4.2.2',
      'Final-Recipient: rfc822;c@d.example',
      'Action: failed',
      'Status: 5.2.2',
    ];
    const report = await readLines(typed('message/delivery-status', ['Reporting-MTA: dns; x', '', ...fields]));
    expect(report?.kind).toBe('bounce');
    expect(report?.recipients.map(({ address, action }) => [address, action])).toEqual([
      ['a@b.example', 'delayed'],
      ['c@d.example', 'failed'],
    ]);
  });

  test('about abuse is a complaint', async () => {
    const fields = ['Feedback-Type: abuse', 'User-Agent: x/1', 'Version: 1', 'Original-Rcpt-To: <eva@home.example>'];
    expect(await readLines(typed('message/feedback-report', fields))).toEqual({
      kind: 'complaint',
      originalMessageId: 'out-1@shop.example',
      originalOwnId: null,
      originalThreadIds: [],
      recipients: [{ address: 'eva@home.example', action: 'failed', status: null, diagnostic: 'abuse' }],
    });
  });

  test('about junk from Microsoft, which encloses the bare mail, is a complaint', async () => {
    const lines = [
      'From: staff@hotmail.example',
      'Subject: Junk',
      'Content-Type: message/rfc822',
      '',
      'X-HmXmrOriginalRecipient: <eva@home.example>',
    ];
    expect(await readLines([...lines, ...originalHeaders])).toMatchObject({
      kind: 'complaint',
      originalMessageId: 'out-1@shop.example',
      recipients: [{ address: 'eva@home.example' }],
    });
  });

  test('about reading is a receipt', async () => {
    const fields = [
      'Final-Recipient: rfc822;eva@home.example',
      'Original-Message-ID: <out-2@shop.example>',
      'Disposition: manual-action/MDN-sent-manually; displayed',
    ];
    const report = await readLines(typed('message/disposition-notification', fields));
    expect(report).toMatchObject({ kind: 'read-receipt', originalMessageId: 'out-2@shop.example' });
    expect(report?.recipients[0]?.address).toBe('eva@home.example');
  });

  test('without an enclosed mail takes the original from In-Reply-To', async () => {
    const lines = dsn('failed', '5.1.1').filter((line) => !line.startsWith('Message-ID'));
    lines.splice(3, 0, 'In-Reply-To: <out-3@shop.example>');
    expect((await readLines(lines))?.originalMessageId).toBe('out-3@shop.example');
  });
});
