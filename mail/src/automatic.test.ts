import { expect, test } from 'vitest';
import { type AutomaticKind, automaticKind } from './automatic.ts';
import { parseMail } from './parse.ts';

const kindOf = async (...headers: string[]) => {
  const lines = ['From: Eva <eva@home.example>', 'To: help@shop.example', ...headers, '', 'Hello'];
  return automaticKind(await parseMail(Buffer.from(lines.join('\r\n'))));
};

test.each<[AutomaticKind | null, ...string[]]>([
  [null, 'Subject: My lamp'],
  [null, 'Subject: My lamp', 'Auto-Submitted: no'],
  [null, 'Subject: My lamp', 'X-Auto-Response-Suppress: All'],
  [null, 'Subject: Re: Out of office hours?'],
  [null, 'Subject: Absence of a plug', 'Return-Path: <eva@home.example>'],
  [null, 'Subject: Vacation notices are wrong'],
  ['auto-reply', 'Subject: Away', 'Auto-Submitted: auto-replied; type=vacation'],
  ['auto-reply', 'Subject: Away', 'Precedence: auto_reply'],
  ['auto-reply', 'Subject: Away', 'X-Autoreply: yes'],
  ['auto-reply', 'Subject: Automatic reply: My lamp'],
  ['auto-reply', 'Subject: Automatische Antwort: Lampe'],
  ['auto-reply', 'Subject: =?utf-8?B?6Ieq5Yqo5Zue5aSNOiBsYW1w?='],
  [null, 'Subject: On leave: please reroute my mail'],
  [null, 'Subject: On leave: please reroute my mail', 'In-Reply-To: <a@b.example>'],
  [null, 'Subject: OOO'],
  [null, 'Subject: Abwesend: Postfach von Frau Klein weiterleiten', 'In-Reply-To: <a@b.example>'],
  [null, 'Subject: Out of office (please switch mine on)'],
  [null, 'Subject: AUTO: Unfall am Montag'],
  [null, 'Subject: Jane Roe is out of the office, who signs?'],
  ['auto-reply', 'Subject: Out of Office AutoReply: My lamp'],
  ['auto-reply', 'Subject: Abwesenheitsnotiz: Lampe'],
  ['auto-reply', 'Subject: Abwesenheit: Re: Angebot'],
  ['auto-reply', 'Subject: Out of office: AW: Lampe'],
  ['auto-reply', 'Subject: Out of the office', 'Precedence: bulk'],
  ['auto-reply', 'Subject: OOO', 'X-Auto-Response-Suppress: All'],
  ['auto-reply', 'Subject: AUTO: Smith, John is out of the office. (returning 05/01/2027)'],
  ['auto-reply', 'Subject: AUTO: Max Muster ist außer Haus (Rückkehr am 05.01.2027)'],
  ['auto-reply', 'Subject: AUTO: Marie Petit est absente du bureau (retour 05/01/2027)'],
  ['auto-generated', 'Subject: Backup done', 'Auto-Submitted: auto-generated'],
  ['auto-generated', 'Subject: Read', 'Auto-Submitted: auto-replied', 'Content-Type: multipart/report; boundary=b'],
  ['auto-generated', 'Subject: Hm', 'Return-Path: <>'],
  ['auto-generated', 'Subject: Hm', 'X-Failed-Recipients: a@b.example'],
  ['auto-generated', 'Subject: Hm', 'X-Loop: eva@home.example'],
  ['auto-generated', 'Subject: Hm', 'X-MS-Exchange-Inbox-Rules-Loop: eva@home.example'],
  ['list', 'Subject: Hm', 'List-Id: <lamps.list.example>', 'Precedence: bulk', 'X-Loop: lamps@list.example'],
  ['list', 'Subject: Hm', 'Precedence: list'],
  ['bulk', 'Subject: New lamps', 'List-Unsubscribe: <https://shop.example/u>'],
  ['bulk', 'Subject: New lamps', 'Precedence: bulk'],
])('%s: %j %j', async (kind, ...headers) => {
  expect(await kindOf(...headers)).toBe(kind);
});

test.each([
  ['auto-reply', 'Out of Office', 'I am out of the office until Monday.'],
  ['auto-reply', 'Abwesend', 'Ich bin bis 5.1. nicht im Büro.'],
  ['auto-reply', 'Fuori ufficio', 'Sono in ferie fino al 5 gennaio.'],
  ['auto-reply', 'Jane Roe is out of the office.', 'I will be back on Monday.'],
  [null, 'On leave: please reroute my mail', 'It still goes to me. Please help!'],
  [null, 'Abwesend: Postfach von Frau Klein', 'Bitte leitet es an mich weiter.'],
])('an answer is %s with the subject %j and the text %j', async (kind, subject, text) => {
  const header = `From: eva@home.example\nSubject: ${subject}\nIn-Reply-To: <a@b.example>`;
  const mail = await parseMail(Buffer.from(`${header}\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`));
  expect(automaticKind(mail)).toBe(kind);
  const first = { ...mail, inReplyTo: [] };
  expect(automaticKind(first)).toBe(null);
});

test.each([
  [null, []],
  [null, ['Auto-Submitted: no']],
  ['auto-generated', ['Auto-Submitted: auto-replied']],
  ['auto-generated', ['Return-Path: <>']],
])('the postmaster is %s with %j', async (kind, headers) => {
  const lines = ['From: Eva <postmaster@home.example>', 'Subject: My lamp', ...headers, '', 'Hello'];
  expect(automaticKind(await parseMail(Buffer.from(lines.join('\n'))))).toBe(kind);
});

test('mail from the mail system is auto-generated, even with an empty address', async () => {
  const daemon = await parseMail(Buffer.from('From: MAILER-DAEMON <>\nSubject: Mail delivery failed\n\nSorry'));
  expect(automaticKind(daemon)).toBe('auto-generated');
});
