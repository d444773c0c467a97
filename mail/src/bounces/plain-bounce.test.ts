import { describe, expect, test } from 'vitest';
import { parseMail } from '../parse.ts';
import { readReport } from './report.ts';

type Sample = { from: string; subject: string; text: string; headers?: string };

const kindOf = async ({ from, subject, text, headers = '' }: Sample): Promise<string | null> => {
  const mail =
    `From: ${from}\nTo: help@shop.example\nSubject: ${subject}\n${headers}` +
    `Content-Type: text/plain; charset=utf-8\n\n${text}`;
  return readReport(await parseMail(Buffer.from(mail.replaceAll('\n', '\r\n'))))?.kind ?? null;
};

const POSTMASTER = 'postmaster@home.example';
const DAEMON = 'MAILER-DAEMON@home.example';
const NULL_PATH = 'Return-Path: <>\n';
const AUTO = 'Auto-Submitted: auto-generated\n';
const ITEM = 'eva@home.example\n\n#550 5.1.1 not found';

const bounces: Readonly<Record<string, Sample>> = {
  'Exchange in Swedish': {
    from: POSTMASTER,
    subject: 'Det går inte att leverera: Lampa',
    text: `Leverans misslyckades till dessa mottagare eller grupper:\n\n${ITEM}`,
  },
  'Exchange in Russian': {
    from: POSTMASTER,
    subject: 'Не удается доставить: Лампа',
    text: `Сбой доставки следующим получателям или группам:\n\n${ITEM}`,
  },
  'Exchange in Hebrew': {
    from: POSTMASTER,
    subject: 'לא ניתן למסירה: מנורה',
    text: `המסירה לנמענים או לקבוצות אלה נכשלה:\n\n${ITEM}`,
  },
  'a spam firewall': {
    from: '"Gateway" <postmaster@gw.example>',
    subject: '**Message you sent blocked by our bulk email filter**',
    text: 'Your message to: eva@home.example\nwas blocked by our Spam Firewall. It has NOT BEEN DELIVERED.',
  },
  'a filter in its subject': {
    from: POSTMASTER,
    subject: 'Your email to eva@home.example was blocked',
    text: 'Our filter said: 554 5.7.1 spam',
  },
  'an X.400 gateway': {
    from: 'x400-mta@gw.example',
    subject: 'Report: Non-delivery',
    text: 'Your message cannot be delivered to the following recipients:\n\n  Recipient address: eva@home.example',
  },
  'Domino, unattended': {
    from: 'Notes Server <mailer@acme.example>',
    subject: 'DELIVERY FAILURE: No route found to domain home.example',
    text: 'Your message\n\n  Subject: Lamp\n\nwas not delivered to:\n\n  eva@home.example',
    headers: AUTO,
  },
  'a daemon of few words': { from: DAEMON, subject: 'Your mail', text: 'eva@home.example: 4.4.7 expired after 5 days' },
};

const others: Readonly<Record<string, Sample>> = {
  'a shop whose parcel is late': {
    from: 'noreply@shop.example',
    subject: 'Delivery delayed',
    text: 'Your parcel is delayed. It could not be delivered today. Questions? Write to help@parcels.example',
  },
  'a carrier by machine': {
    from: 'noreply@parcels.example',
    subject: 'Delivery failed',
    text: 'We were unable to deliver your parcel 123. Please choose a new day.',
    headers: AUTO,
  },
  'a carrier with a return path for bounces': {
    from: 'Parcels <noreply@parcels.example>',
    subject: 'Your delivery',
    text: 'Your parcel could not be delivered. The recipient was not found.',
    headers: 'Return-Path: <bounces@parcels.example>\n',
  },
  'a postmaster who writes himself': {
    from: POSTMASTER,
    subject: 'Your mailbox is almost full',
    text: 'Your mailbox has reached 95 % of its quota. Please delete mail.',
  },
  'a customer who shows his bounce': {
    from: 'Ann <ann@home.example>',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'Why?\n\n<x@shop.example>: host mx.shop.example said: 550 5.1.1 User unknown',
  },
  'a note that someone left': {
    from: 'Luc <luc@home.example>',
    subject: 'Address changed',
    text: 'I left. Your message was not delivered to anybody else.',
    headers: `Auto-Submitted: auto-replied\n${NULL_PATH}`,
  },
  'a note that someone left, which names the fault of another address': {
    from: 'Luc <luc@home.example>',
    subject: 'Address changed',
    text: 'I left. At eva@home.example you get: 550 5.1.1 <eva@home.example> user unknown.',
    headers: `Auto-Submitted: auto-replied\n${NULL_PATH}`,
  },
};

describe('a report without status fields is recognised', () => {
  test.each(Object.entries(bounces))('%s', async (_, sample) => {
    expect(await kindOf(sample)).toBe('bounce');
  });

  test('as a delay when a daemon says that it retries', async () => {
    const text = 'Your mail to eva@home.example is queued; it will be retried. You need not resend it.';
    expect(await kindOf({ from: DAEMON, subject: 'Your message is delayed', text })).toBe('delay');
  });
});

describe('not a report: the mail of', () => {
  test.each(Object.entries(others))('%s', async (_, sample) => {
    expect(await kindOf(sample)).toBeNull();
  });
});

describe('a receipt of deletion', () => {
  const receipt = (subject: string, text: string): Promise<string | null> =>
    parseMail(
      Buffer.from(
        [
          `From: ${POSTMASTER}`,
          'To: help@shop.example',
          `Subject: ${subject}`,
          'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
          '',
          '--b',
          'Content-Type: text/plain',
          '',
          text,
          '--b',
          'Content-Type: message/disposition-notification',
          '',
          'Final-Recipient: rfc822; eva@home.example',
          'Disposition: automatic-action/MDN-sent-automatically; deleted',
          '--b--',
        ].join('\r\n'),
      ),
    ).then((mail) => readReport(mail)?.kind ?? null);

  test('is a bounce when a filter refused the mail (RFC 5429 §2.2)', async () => {
    expect(await receipt('Rejected: Lamp', 'Your message was automatically rejected: no lamps.')).toBe('bounce');
  });

  test('is a receipt when the reader deleted it', async () => {
    expect(await receipt('Not read: Lamp', 'Your message was deleted without being read.')).toBe('read-receipt');
  });
});
