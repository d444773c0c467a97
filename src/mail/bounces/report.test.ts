import { describe, expect, test } from 'vitest';
import { parseMail } from '../parse.ts';
import { type MailReport, readReport } from './report.ts';

const read = async (lines: readonly string[]): Promise<MailReport | null> =>
  readReport(await parseMail(Buffer.from(lines.join('\r\n'))));

const ORIGINAL = [
  'From: Help <help@shop.example>',
  'To: eva@home.example',
  'Subject: Your lamp',
  'Message-ID: <out-1@shop.example>',
  'Date: Mon, 4 Mar 2024 09:15:00 +0000',
];

/** Builds a multipart/report whose second part contains the fields. */
const typed = (type: string, fields: readonly string[], headers: readonly string[] = []): string[] => [
  'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
  'To: help@shop.example',
  'Subject: Report',
  ...headers,
  `Content-Type: multipart/report; report-type=x; boundary=b`,
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'See below.',
  '--b',
  `Content-Type: ${type}`,
  '',
  ...fields,
  '--b',
  'Content-Type: text/rfc822-headers',
  '',
  ...ORIGINAL,
  '--b--',
];

const dsn = (action: string, status: string) =>
  typed('message/delivery-status', [
    'Reporting-MTA: dns; mx.example',
    '',
    'Original-Recipient: rfc822;eva@home.example',
    'Final-Recipient: rfc822; eva.lund@home.example',
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 550 5.1.1 <eva@home.example>:',
    ' no such user',
  ]);

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
    const report = await read(dsn(action, status));
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
    const lines = dsn('failed', '5.1.1').flatMap((line) => (line === ORIGINAL[0] ? [line, ...enclosed] : [line]));
    expect(await read(lines)).toMatchObject({
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
    const report = await read(typed('message/delivery-status', ['Reporting-MTA: dns; x', '', ...fields]));
    expect(report?.kind).toBe('bounce');
    expect(report?.recipients.map(({ address, action }) => [address, action])).toEqual([
      ['a@b.example', 'delayed'],
      ['c@d.example', 'failed'],
    ]);
  });

  test('about abuse is a complaint', async () => {
    const fields = ['Feedback-Type: abuse', 'User-Agent: x/1', 'Version: 1', 'Original-Rcpt-To: <eva@home.example>'];
    expect(await read(typed('message/feedback-report', fields))).toEqual({
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
    expect(await read([...lines, ...ORIGINAL])).toMatchObject({
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
    const report = await read(typed('message/disposition-notification', fields));
    expect(report).toMatchObject({ kind: 'read-receipt', originalMessageId: 'out-2@shop.example' });
    expect(report?.recipients[0]?.address).toBe('eva@home.example');
  });

  test('without an enclosed mail takes the original from In-Reply-To', async () => {
    const lines = dsn('failed', '5.1.1').filter((line) => !line.startsWith('Message-ID'));
    lines.splice(3, 0, 'In-Reply-To: <out-3@shop.example>');
    expect((await read(lines))?.originalMessageId).toBe('out-3@shop.example');
  });
});

const plain = (
  from: string,
  subject: string,
  text: readonly string[],
  headers: readonly string[] = ['Return-Path: <>'],
) => [
  ...headers,
  `From: ${from}`,
  'To: help@shop.example',
  `Subject: ${subject}`,
  'Content-Type: text/plain; charset=utf-8',
  '',
  ...text,
];

const families: Readonly<Record<string, string[]>> = {
  qmail: plain('MAILER-DAEMON@mx.example', 'failure notice', [
    'Hi. This is the qmail-send program at mx.example.',
    '',
    '<eva@home.example>:',
    'Remote host said: 550 5.1.1 No such user',
    '',
    '--- Below this line is a copy of the message.',
    '',
    'Return-Path: <help@shop.example>',
    ...ORIGINAL,
    '',
    'Hello',
  ]),
  Exim: plain(
    'Mail Delivery System <Mailer-Daemon@mx.example>',
    'Mail delivery failed: returning message to sender',
    [
      'A message that you sent could not be delivered to one or more of its recipients.',
      '',
      '  eva@home.example',
      '    550 5.1.1 unknown',
      '',
      '------ This is a copy of the message ------',
      '',
      ...ORIGINAL,
    ],
    ['X-Failed-Recipients: eva@home.example', 'Auto-Submitted: auto-replied'],
  ),
  'a German server': plain('Postmaster <postmaster@mx.example>', 'Unzustellbar: Ihre Lampe', [
    'Ihre Nachricht konnte nicht zugestellt werden.',
    '',
    'eva@home.example',
    '5.1.1 Empfänger unbekannt',
    '',
    ...ORIGINAL,
  ]),
  'a Russian server': plain('mailer-daemon@mx.example', 'Недоставленное сообщение', [
    '<eva@home.example>: 550 5.1.1 нет такого',
    '',
    ...ORIGINAL,
  ]),
  'a Japanese server': plain('Postmaster@mx.example', 'メールの配信に失敗しました', [
    '宛先が見つかりません 5.1.1',
    'eva@home.example',
    '',
    ...ORIGINAL,
  ]),
  'a server whose fields stand in the text': plain(
    'MAILER-DAEMON@mx.example',
    'Delivery Status Notification (Failure)',
    [
      'Technical report:',
      '',
      'Action: failed',
      'Final-Recipient: rfc822; eva@home.example',
      'Status: 5.1.1',
      '',
      ...ORIGINAL,
    ],
  ),
};

describe('a report in a format of its own', () => {
  test.each(Object.entries(families))('from %s names the recipient, the status and the original', async (_, lines) => {
    const report = await read(lines);
    expect(report?.kind).toBe('bounce');
    expect(report?.recipients).toMatchObject([{ address: 'eva@home.example', action: 'failed', status: '5.1.1' }]);
    expect(report?.originalMessageId).toBe('out-1@shop.example');
  });

  test('about a delay is a delay', async () => {
    const text = [
      'This is a warning message only.',
      'Your message has not yet been delivered; it will be retried.',
      '',
      'eva@home.example',
    ];
    const report = await read(
      plain('MAILER-DAEMON@mx.example', 'Warning: could not send message for past 4 hours', text),
    );
    expect(report).toMatchObject({ kind: 'delay', recipients: [{ address: 'eva@home.example', action: 'delayed' }] });
  });

  test('from Amazon SES through SNS is read as JSON', async () => {
    const notice = {
      notificationType: 'Bounce',
      bounce: {
        bouncedRecipients: [{ emailAddress: 'eva@home.example', status: '5.1.1', diagnosticCode: 'smtp; 550' }],
      },
      mail: { commonHeaders: { messageId: '<out-1@shop.example>' } },
    };
    const text = [JSON.stringify(notice), '', '--', 'If you wish to stop receiving notifications …'];
    expect(await read(plain('no-reply@sns.example', 'AWS Notification Message', text, []))).toMatchObject({
      kind: 'bounce',
      originalMessageId: 'out-1@shop.example',
      recipients: [{ address: 'eva@home.example', status: '5.1.1' }],
    });
  });
});

describe('not a report:', () => {
  test.each<[string, string[]]>([
    [
      'a person’s mail about a bounce',
      plain(
        'Eva <eva@home.example>',
        'Mail delivery failed?',
        ['My mail to you could not be delivered: 550 5.1.1 user unknown'],
        [],
      ),
    ],
    [
      'a person’s forward of a report with its parts',
      dsn('failed', '5.1.1').map((line) =>
        line
          .replace(/^From: Mail Delivery System.*/, 'From: Eva <eva@home.example>')
          .replace('Subject: Report', 'Subject: Fwd: Report')
          .replace('multipart/report; report-type=x', 'multipart/mixed'),
      ),
    ],
    ['a person’s report of spam', plain('Eva <eva@home.example>', 'Abuse report', ['This is a spam report.'], [])],
    [
      'an answer to a bounce',
      plain(
        'Postmaster <postmaster@home.example>',
        'Re: Undeliverable: lamp',
        ['Fixed, try again.'],
        ['In-Reply-To: <x@y.example>'],
      ),
    ],
    [
      'a vacation note',
      plain(
        'eva@home.example',
        'Away until May',
        ['I read mail again in May; delivery may be delayed.'],
        ['Return-Path: <>', 'Auto-Submitted: auto-replied'],
      ),
    ],
    [
      'a note that a mailbox is closed',
      plain(
        'eva@home.example',
        'Re: lamp',
        ['This account is disabled, write to Ola.'],
        ['Return-Path: <>', 'Auto-Submitted: auto-replied'],
      ),
    ],
    [
      'a notice of a shop',
      plain(
        'no-reply@store.example',
        'Your order',
        ['Your parcel is delayed. The file does not exist.'],
        ['Auto-Submitted: auto-generated'],
      ),
    ],
    [
      'a build log',
      plain(
        'root@build.example',
        'Cron job',
        ['error 550 A: host not found, deferred'],
        ['Auto-Submitted: auto-generated'],
      ),
    ],
  ])('%s', async (_, lines) => {
    expect(await read(lines)).toBeNull();
  });
});
