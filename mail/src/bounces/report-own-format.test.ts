import { describe, expect, test } from 'vitest';
import { dsn, originalHeaders, plain, readLines } from '../../../test/worlds/report-mails.ts';

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
    ...originalHeaders,
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
      ...originalHeaders,
    ],
    ['X-Failed-Recipients: eva@home.example', 'Auto-Submitted: auto-replied'],
  ),
  'a German server': plain('Postmaster <postmaster@mx.example>', 'Unzustellbar: Ihre Lampe', [
    'Ihre Nachricht konnte nicht zugestellt werden.',
    '',
    'eva@home.example',
    '5.1.1 Empfänger unbekannt',
    '',
    ...originalHeaders,
  ]),
  'a Russian server': plain('mailer-daemon@mx.example', 'Недоставленное сообщение', [
    '<eva@home.example>: 550 5.1.1 нет такого',
    '',
    ...originalHeaders,
  ]),
  'a Japanese server': plain('Postmaster@mx.example', 'メールの配信に失敗しました', [
    '宛先が見つかりません 5.1.1',
    'eva@home.example',
    '',
    ...originalHeaders,
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
      ...originalHeaders,
    ],
  ),
};

describe('a report in a format of its own', () => {
  test.each(Object.entries(families))('from %s names the recipient, the status and the original', async (_, lines) => {
    const report = await readLines(lines);
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
    const report = await readLines(
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
    expect(await readLines(plain('no-reply@sns.example', 'AWS Notification Message', text, []))).toMatchObject({
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
    expect(await readLines(lines)).toBeNull();
  });
});
