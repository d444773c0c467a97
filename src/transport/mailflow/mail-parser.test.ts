import { afterEach, expect, test } from 'vitest';
import { mailOf } from '../../../test/worlds/mails.ts';
import { sha256Of } from '../../ground/blobs/blobs.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { type MailParser, type MailParserLimits, openMailParser } from './mail-parser.ts';
import type { RawMail } from './raw-mails.ts';
import { readMail } from './understand.ts';

// The casts are safe: the parser only compares them.
const workspaceA = 'a' as WorkspaceId;
const workspaceB = 'b' as WorkspaceId;

let parser: MailParser;
const open = (limits: Partial<MailParserLimits> = {}) => {
  parser = openMailParser(limits);
  return { ...parser, parse: (raw: RawMail, of = workspaceA) => parser.parse(raw, of) };
};
afterEach(() => parser.close());

function rawMail(bytes: Buffer): RawMail {
  return {
    id: '01900000-0000-7000-8000-000000000000',
    sha256: sha256Of(bytes),
    origin: 'live',
    mailboxId: null,
    receivedAt: new Date('2026-03-02T10:00:05Z'),
    envelope: { from: 'ann@example.org', to: ['support@example.com'] },
    hosted: null,
    bytes,
  };
}

const small = () => rawMail(mailOf());

const isHtml = { 'Content-Type': 'text/html' };
const large = (megabytes: number) => rawMail(mailOf({ headers: isHtml, body: '<p>a\n'.repeat(megabytes * 200_000) }));

const withFiles = () => {
  const part = (headers: string, body: string) => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
  const file = Buffer.alloc(60_000, 'Kontor').toString('base64');
  const parts = [
    part('Content-Type: text/plain; charset=utf-8', 'Grüße,\n\n> quoted\n'),
    part('Content-Type: text/html', '<p onclick="x()">Hello</p><img src="cid:picture">'),
    part('Content-Type: image/png\r\nContent-ID: <picture>\r\nContent-Transfer-Encoding: base64', file),
    part('Content-Type: application/x-raw; name=raw.bin', 'x'.repeat(50_000)),
    part(
      'Content-Type: text/plain; name=tiny.txt\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64',
      'dGlueQ==',
    ),
  ];
  const headers = { 'Content-Type': 'multipart/mixed; boundary=b' };
  return rawMail(mailOf({ headers, body: `${parts.join('')}--b--` }));
};

test('a mail parses alike in a thread and in place', async () => {
  const raw = withFiles();
  const inPlace = await readMail(raw);
  const read = await open({ inPlaceBytesMax: 0 }).parse(raw);
  if ('reason' in read || 'reason' in inPlace) throw new Error('unreadable');
  const { files, ...rest } = inPlace;
  expect(read).toMatchObject(rest);
  expect(
    read.files.map(({ content, ...file }) => ({ ...file, text: Buffer.from(content).toString('latin1') })),
  ).toEqual(files.map(({ content, ...file }) => ({ ...file, text: Buffer.from(content).toString('latin1') })));
  // The bytes are still needed here if the mail cannot be stored.
  expect(sha256Of(read.raw.bytes)).toBe(raw.sha256);
});

test('the event loop goes on while a large mail is parsed', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const read = await open().parse(large(4));
  clearInterval(timer);
  expect(read).not.toHaveProperty('reason');
  expect(turns).toBeGreaterThan(20);
});

test('a mail that takes too long to read is unreadable, and the next one is read', async () => {
  const { parse } = open({ inPlaceBytesMax: 100_000, secondsMax: 0.01 });
  const [first, second] = await Promise.all([parse(large(1)), parse(small())]);
  expect(first).toMatchObject({ reason: 'it takes too long to read', fingerprint: first.raw.sha256 });
  expect(second).toMatchObject({ subject: 'The printer is on fire' });
});

test('a mail that takes too much memory to read is unreadable, and the next ones are read', async () => {
  const { parse } = open({ inPlaceBytesMax: 0, heapMbMax: 24 });
  const [first, ...others] = await Promise.all([parse(large(20)), parse(small()), parse(withFiles())]);
  expect(first).toMatchObject({ reason: 'it takes too much memory to read' });
  for (const other of others) expect(other).toMatchObject({ subject: 'The printer is on fire' });
});

test('a workspace with many slow mails keeps no other waiting', async () => {
  const { parse } = open({ inPlaceBytesMax: 0 });
  const order: string[] = [];
  const slow = Array.from({ length: 4 }, () => parse(large(4), workspaceA).then(() => order.push('slow')));
  const other = parse(small(), workspaceB).then(() => order.push('other'));
  await Promise.all([...slow, other]);
  expect(order.indexOf('other')).toBeLessThan(2);
});

test('a mail in the parser when the service stops is not marked as unreadable', async () => {
  const { parse, close } = open();
  const parsing = Promise.allSettled([parse(large(4)), parse(large(1))]);
  await close();
  expect(await parsing).toMatchObject([{ reason: { key: 'unavailable' } }, { reason: { key: 'unavailable' } }]);
});
