import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEmlx } from './emlx.ts';
import { readMails } from './mailbox-files.ts';

const mail = 'From: Jörg <joerg@home.example>\nSubject: Lamp\n\nIt is dark.\n<?xml version="1.0"?> is how it begins.\n';

/** A list as Apple Mail writes it. */
const listOf = (flags: number | bigint) =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">\n<dict>\n\t<key>date-received</key>\n\t<integer>1581123200</integer>',
    `\t<key>flags</key>\n\t<integer>${flags}</integer>`,
    '\t<key>subject</key>\n\t<string>Lamp</string>\n</dict>\n</plist>\n',
  ].join('\n');
const emlxOf = (flags: number | bigint, content = mail, size = Buffer.byteLength(content)) =>
  Buffer.from(`${String(size).padEnd(10)}\n${content}${listOf(flags)}`);

test.each([
  ['read', 1n, null],
  ['read, with attachments, and a number of 34 bits', 8_590_195_713n, null],
  ['answered, flagged, forwarded', 0b1_0001_0101n, null],
  ['deleted', 0b11n, 'deleted'],
  ['draft', 0b100_0001n, 'drafts'],
  ['junk', (1n << 24n) | 1n, 'spam'],
  ['no junk', 1n << 25n, null],
  ['junk, and then no junk', (1n << 24n) | (1n << 25n), null],
  ['junk, in a signed number', -1n ^ (1n << 25n) ^ 0b100_0010n, 'spam'],
])('%s', (_, flags, leftOut) => {
  const read = readEmlx(emlxOf(flags));
  expect(read).toMatchObject({ leftOut });
  expect(read?.mail.toString()).toBe(mail);
});

test.each([
  ['whose line ends became longer', emlxOf(2, mail, mail.length - 7)],
  ['whose size is beyond its end', emlxOf(2, mail, 999_999)],
  ['whose lines end in CRLF', Buffer.from(emlxOf(2).toString().replaceAll('\n', '\r\n'))],
])('a file %s ends at its list', (_, bytes) => {
  const read = readEmlx(bytes);
  expect(read?.mail.toString().replaceAll('\r\n', '\n')).toBe(mail);
  expect(read?.leftOut).toBe('deleted');
});

test('a file without its list, or cut off, keeps all of its mail', () => {
  const whole = Buffer.from(`${Buffer.byteLength(mail)}\n${mail}`);
  expect(readEmlx(whole)).toEqual({ mail: Buffer.from(mail), leftOut: null });
  expect(readEmlx(whole.subarray(0, -20))?.mail.toString()).toBe(mail.slice(0, -20));
  expect(readEmlx(Buffer.from(mail))).toBe(undefined);
});

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-emlx-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the mail of a folder of Apple Mail is read, its drafts and deleted mail are left out', async () => {
  const places: [string, Buffer][] = [
    ['INBOX.mbox/A1/Data/Messages/1.emlx', emlxOf(1)],
    ['INBOX.mbox/A1/Data/Messages/2.partial.emlx', emlxOf(1)],
    ['INBOX.mbox/A1/Data/Messages/3.emlx', emlxOf(0b11)],
    ['INBOX.mbox/A1/Data/Messages/4.emlx', Buffer.from('damaged')],
    ['INBOX.mbox/A1/Data/Messages/5.eml', emlxOf(1)],
    ['INBOX.mbox/A1/Data/Messages/6.txt', Buffer.from('7\n'.repeat(100_000))],
    ['Deleted Messages.mbox/B2/Data/Messages/1.emlx', emlxOf(1)],
  ];
  for (const [name, bytes] of places) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const found: string[] = [];
  for await (const one of readMails(folder)) {
    const outcome =
      'raw' in one ? one.raw.toString() : 'leftOut' in one ? one.leftOut : 'skipped' in one && one.skipped;
    found.push(`${one.source.slice(folder.length + 1)}: ${outcome}`);
  }
  expect(found).toEqual([
    'Deleted Messages.mbox/B2/Data/Messages/1.emlx: deleted',
    `INBOX.mbox/A1/Data/Messages/1.emlx: ${mail}`,
    `INBOX.mbox/A1/Data/Messages/2.partial.emlx: ${mail}`,
    'INBOX.mbox/A1/Data/Messages/3.emlx: deleted',
    'INBOX.mbox/A1/Data/Messages/4.emlx: damaged',
    `INBOX.mbox/A1/Data/Messages/5.eml: ${mail}`,
    'INBOX.mbox/A1/Data/Messages/6.txt: not-a-mail',
  ]);
});
