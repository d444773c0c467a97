import { expect, test } from 'vitest';
import type { LeftOut } from './folder-words.ts';
import { isInternalMail, leftOutOf } from './left-out.ts';

const kindOf = (fields: string, fileName?: string) =>
  leftOutOf(Buffer.from(`${fields}\nFrom: eva@home.example\nSubject: Lamp\n\nx\n`), { folders: [], fileName });

test.each<[LeftOut | null, string]>([
  // Gmail
  [null, 'X-Gmail-Labels: Inbox,Unread'],
  [null, 'X-Gmail-Labels: Archived,Support/Spam,No trash'],
  ['spam', 'X-Gmail-Labels: Spam'],
  ['deleted', 'X-Gmail-Labels: =?UTF-8?Q?Trash,Unread?='],
  ['drafts', 'X-Gmail-Labels: Drafts'],
  ['drafts', 'X-GM-THRID: 173\nX-Gmail-Labels: Sent,"Drafts",Opened'],
  ['chats', 'X-Gmail-Labels: Chat'],
  ['deleted', 'X-Gmail-Labels: Papierkorb,=?UTF-8?Q?Ge=C3=B6ffnet?='],
  ['drafts', 'X-Gmail-Labels: =?UTF-8?Q?Entw=C3=BCrfe?='],
  ['deleted', 'X-Gmail-Labels: =?UTF-8?B?44K044Of566x?='],
  ['drafts', 'X-Gmail-Labels: [Imap]/Drafts'],
  // Thunderbird
  [null, 'X-Mozilla-Status: 0001\nX-Mozilla-Status2: 00000000'],
  [null, 'X-Mozilla-Status: 1013\nX-Mozilla-Status2: 10800000'],
  ['deleted', 'X-Mozilla-Status: 0009\nX-Mozilla-Status2: 00000000'],
  ['deleted', 'X-Mozilla-Status: 0001\nX-Mozilla-Status2: 00200000'],
  ['drafts', 'X-Mozilla-Status: 0801'],
  ['drafts', 'X-Mozilla-Status: 0000\nX-Mozilla-Status2: 01000000'],
  ['drafts', 'X-Mozilla-Draft-Info: internal/draft; vcard=0; receipt=0; DSN=0; uuencode=0'],
  ['spam', 'X-Mozilla-Keys: junk'],
  [null, 'X-Mozilla-Keys: nonjunk'],
  // Mutt, Pine, Dovecot
  [null, 'Status: RO\nX-Status: AF'],
  ['deleted', 'Status: RO\nX-Status: AD'],
  ['drafts', 'X-Status: T'],
  ['deleted', 'Status: ROD'],
  [null, 'Status: Delivered'],
  [null, 'X-Status: Draft agreed'],
  ['spam', 'X-UID: 7\nX-Keywords: $Junk'],
  [null, 'X-Keywords: $Junk $NotJunk'],
  // Evolution, Outlook
  [null, 'X-Evolution: 0000002a-0010'],
  ['deleted', 'X-Evolution: 0000002a-0012'],
  ['drafts', 'X-Evolution: 0000002a-0014'],
  ['spam', 'X-Evolution: 0000002a-0090'],
  ['drafts', 'X-Unsent: 1'],
  [null, 'X-Unsent: 0'],
  // Apple Mail
  ['drafts', 'X-Uniform-Type-Identifier: com.apple.mail-draft'],
  ['drafts', 'X-Uniform-Type-Identifier: com.apple.mail-note'],
  // Below the lines of exporters
  ['deleted', 'From - Mon Nov 02 10:01:00 2026\n>From - x\nX-Mozilla-Status: 0009'],
])('%s: %j', (kind, fields) => {
  expect(kindOf(fields)).toBe(kind);
});

test.each([
  [null, '1700000002.a.host:2,RS'],
  ['drafts', '1700000002.a.host:2,DS'],
  ['deleted', '1700000002.a.host;2,ST'],
  ['deleted', '1700000002.a.host!2,T'],
  [null, 'Lamp T'],
])('%s by the flags of %s', (kind, fileName) => {
  expect(kindOf('X-Ok: 1', fileName)).toBe(kind);
});

test('a note in the text or in an enclosed mail says nothing', () => {
  const mail = Buffer.from(
    'Subject: x\nContent-Type: message/rfc822\n\nX-Gmail-Labels: Spam\n\nX-Mozilla-Status: 0009\n',
  );
  expect(leftOutOf(mail, { folders: ['Inbox'], fileName: undefined })).toBe(null);
});

test('the data of Pine and UW-IMAP is no mail', () => {
  const subject = "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA";
  expect(isInternalMail(Buffer.from(`${subject}\nX-IMAP: 0963 0042\nStatus: RO\n\nThis text …\n`))).toBe(true);
  expect(isInternalMail(Buffer.from(`${subject}\n\nWhat is this?\n`))).toBe(false);
  expect(isInternalMail(Buffer.from('Subject: Lamp\nX-IMAPbase: 0963 0042\n\nx\n'))).toBe(false);
});
