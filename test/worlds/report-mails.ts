import { type MailReport, readReport } from '@kontor/mail/bounces/report.ts';
import { parseMail } from '@kontor/mail/parse.ts';

export const readLines = async (lines: readonly string[]): Promise<MailReport | null> =>
  readReport(await parseMail(Buffer.from(lines.join('\r\n'))));

export const originalHeaders = [
  'From: Help <help@shop.example>',
  'To: eva@home.example',
  'Subject: Your lamp',
  'Message-ID: <out-1@shop.example>',
  'Date: Mon, 4 Mar 2024 09:15:00 +0000',
];

/** A multipart/report whose second part contains the fields. */
export const typed = (type: string, fields: readonly string[], headers: readonly string[] = []): string[] => [
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
  ...originalHeaders,
  '--b--',
];

export const dsn = (action: string, status: string) =>
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

/** A report in plain text. */
export const plain = (
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
