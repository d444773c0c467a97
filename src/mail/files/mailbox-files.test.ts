import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesBelow, readMails } from './mailbox-files.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-mails-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function put(name: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content);
}

/** Lists each found mail as `path below the folder: content or outcome`. */
async function found(name = '', sizeBytesMax?: number): Promise<string[]> {
  const list: string[] = [];
  for await (const mail of readMails(join(folder, name), sizeBytesMax === undefined ? {} : { sizeBytesMax })) {
    const outcome =
      'raw' in mail ? mail.raw.toString() : 'skipped' in mail ? mail.skipped : `too large: ${mail.sizeBytes}`;
    list.push(`${mail.source.slice(folder.length + 1)}: ${outcome}`);
  }
  return list;
}

const MAIL = 'Subject: x\nFrom: a@b.c\n\nx\n';
const MBOX = `From a@b.c Fri Nov 20 19:05:01 2026\n${MAIL}\nFrom a@b.c Fri Nov 20 19:05:02 2026\n${MAIL}\n`;

describe('readMails', () => {
  it('reads folders in the order of their names', async () => {
    await put('b/2.eml', MAIL);
    await put('b/10.txt', MAIL);
    await put('a.eml', 'damaged');
    await put('c', MAIL);
    await put('.hidden/x.eml', MAIL);
    await put('.x.eml', MAIL);
    await symlink(folder, join(folder, 'loop'));
    expect(await found()).toEqual(['a.eml: damaged', `b/10.txt: ${MAIL}`, `b/2.eml: ${MAIL}`, `c: ${MAIL}`]);
  });

  it('recognises an mbox and a mail by content, and reports other files', async () => {
    await put('Inbox', MBOX);
    await put('archive.eml', MBOX);
    await put('notes.md', 'Title: notes\n\ntext\n');
    await put('photo.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47));
    await put('z', 'From nobody\nSubject: x\n\nx\n');
    expect(await found()).toEqual([
      `Inbox#0: ${MAIL}`,
      `Inbox#${MBOX.length / 2}: ${MAIL}`,
      `archive.eml#0: ${MAIL}`,
      `archive.eml#${MBOX.length / 2}: ${MAIL}`,
      'notes.md: not-a-mail',
      'photo.png: not-a-mail',
      'z#0: Subject: x\n\nx\n',
    ]);
  });

  it('reads a file that the path names, whatever its content', async () => {
    await put('one', 'anything');
    await put('mbox', MBOX);
    expect(await found('one')).toEqual(['one: anything']);
    expect(await found('mbox')).toHaveLength(2);
  });

  it('reads a Maildir and its folders, in the order of arrival', async () => {
    await put('cur/1700000002.a.host:2,S', MAIL);
    await put('new/1700000001.b.host', 'anything');
    await put('new/1700000003.c.host', MAIL);
    await put('tmp/1700000000.d.host', MAIL);
    await put('dovecot.index', 'x');
    await put('.Sent/cur/1', MAIL);
    await put('.Sent/new/2', MAIL);
    expect(await found()).toEqual([
      'new/1700000001.b.host: anything',
      `cur/1700000002.a.host:2,S: ${MAIL}`,
      `new/1700000003.c.host: ${MAIL}`,
      `.Sent/cur/1: ${MAIL}`,
      `.Sent/new/2: ${MAIL}`,
    ]);
  });

  it('skips mails that are too large', async () => {
    await put('a.eml', `${MAIL}${'x'.repeat(1000)}`);
    await put('b.eml', MAIL);
    await put('c.mbox', `${MBOX}${'x'.repeat(1000)}`);
    expect(await found('', 500)).toEqual([
      `a.eml: too large: ${MAIL.length + 1000}`,
      `b.eml: ${MAIL}`,
      `c.mbox#0: ${MAIL}`,
      expect.stringMatching(/^c\.mbox#\d+: too large: 10\d\d$/),
    ]);
  });

  it('continues after a folder that has disappeared', async () => {
    await put('a.eml', MAIL);
    await put('b/x.eml', MAIL);
    await put('c.eml', MAIL);
    const list: object[] = [];
    for await (const mail of readMails(folder)) {
      list.push(mail);
      await rm(join(folder, 'b'), { recursive: true, force: true });
    }
    expect(list).toMatchObject([
      { raw: Buffer.from(MAIL) },
      { source: join(folder, 'b'), skipped: 'unreadable' },
      { raw: Buffer.from(MAIL) },
    ]);
  });

  it('reports a folder that is nested too deep', async () => {
    await put(`${'a/'.repeat(52)}lost.eml`, MAIL);
    expect(await found()).toEqual([`${Array(51).fill('a').join('/')}: unreadable`]);
  });

  it('continues after unreadable files, folders and parts of a Maildir', async () => {
    // Even root cannot read a path of more than 4,095 bytes. These three paths become one byte longer.
    const below = join(...Array.from({ length: 16 }, () => 'n'.repeat(240)));
    await put(join('short', below, 'a.eml'), MAIL);
    await put(join('short', below, 'folder/x.eml'), MAIL);
    await put(join('short', below, 'm/cur/1'), MAIL);
    await put('z.eml', MAIL);
    const long = 'l'.repeat(4_090 - join(folder, '/', below).length - 1);
    await rename(join(folder, 'short'), join(folder, long));
    try {
      expect(await found()).toEqual([
        `${join(long, below)}/a.eml: unreadable`,
        `${join(long, below)}/folder: unreadable`,
        `${join(long, below)}/m/cur: unreadable`,
        `z.eml: ${MAIL}`,
      ]);
      expect(await bytesBelow(folder)).toBe(MAIL.length);
    } finally {
      await rename(join(folder, long), join(folder, 'short'));
    }
  });

  it('rejects a path that does not exist', async () => {
    await expect(found('nothing')).rejects.toThrow('ENOENT');
  });
});
