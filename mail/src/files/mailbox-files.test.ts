import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseMail } from '../parse.ts';
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
      'raw' in mail
        ? mail.raw.toString()
        : 'skipped' in mail
          ? mail.skipped
          : 'leftOut' in mail
            ? `left out: ${mail.leftOut}`
            : `too large: ${mail.sizeBytes}`;
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

  it.each([
    ['a byte order mark', '\ufeff', MBOX],
    ['blank lines', '\n\r\n \n', MBOX],
    ['zero bytes', '\0\0\0', MBOX],
  ])('recognises an mbox after %s', async (_what, before, mbox) => {
    await put('Inbox', before + mbox);
    const start = Buffer.byteLength(before);
    expect(await found()).toEqual([`Inbox#${start}: ${MAIL}`, `Inbox#${start + MBOX.length / 2}: ${MAIL}`]);
  });

  it.each([
    ['below the separator', 'Fri Nov 20 19:05:01 2026\n>From - Sat Apr 12 2025 15:59:28\n'],
    ['twice', 'Fri Nov 20 19:05:01 2026\n>From - Sat Apr 12 2025 15:59:28\n>From x\n'],
  ])('recognises an mbox with the line of an exporter %s', async (_what, lines) => {
    await put('ietng.mbox', `From news@b.c ${lines}${MAIL}\nFrom news@b.c ${lines}${MAIL}\n`);
    const list = await found();
    expect(list).toHaveLength(2);
    for (const mail of list) expect(mail).toContain(MAIL);
  });

  it.each(['From : Ann <a@b.c>', 'From  \t: Ann <a@b.c>'])(
    'takes a mail that begins with "%s" for a mail',
    async (from) => {
      const mail = `${from}\nSubject: x\nDate: Fri, 20 Nov 2026 19:05:01 +0000\n\nHello\n`;
      await put('one', mail);
      expect(await found()).toEqual([`one: ${mail}`]);
      expect((await parseMail(Buffer.from(mail))).from).toMatchObject({ name: 'Ann', email: 'a@b.c' });
    },
  );

  it('recognises an mbox of a Macintosh, and a mail below the line of an exporter', async () => {
    await put('entourage', MBOX.replaceAll('\n', '\r'));
    await put('one', `>From - Sat Apr 12 2025 15:59:28\n${MAIL}`);
    await put('two', `\ufeff\n${MAIL}`);
    expect(await found()).toEqual([
      `entourage#0: ${MAIL}`,
      `entourage#${MBOX.length / 2}: ${MAIL}`,
      `one: >From - Sat Apr 12 2025 15:59:28\n${MAIL}`,
      `two: \ufeff\n${MAIL}`,
    ]);
  });

  it('leaves out what its folder, mbox or flags say is no correspondence', async () => {
    for (const path of [
      'Mail/cur/1:2,DS',
      'Mail/cur/2:2,ST',
      'Mail/cur/3;2,S',
      'Mail/.Trash/cur/1:2,S',
      'Mail/.INBOX.Entw&APw-rfe/new/1',
      'Mail/.Sent/cur/1:2,S',
      'Takeout/Mail/Chat/1.eml',
      'Takeout/Mail/Spam.mbox',
      'Local/Trash.sbd/2024/x.eml',
      'Local/Deleted Messages.mbox/mbox',
      'Local/Spam.eml',
      'Local/Drafts',
    ])
      await put(path, /mbox$|Drafts/.test(path) ? MBOX.slice(0, MBOX.length / 2) : MAIL);
    expect(await found()).toEqual([
      'Local/Deleted Messages.mbox/mbox#0: left out: deleted',
      'Local/Drafts#0: left out: drafts',
      `Local/Spam.eml: ${MAIL}`,
      'Local/Trash.sbd/2024/x.eml: left out: deleted',
      'Mail/cur/1:2,DS: left out: drafts',
      'Mail/cur/2:2,ST: left out: deleted',
      `Mail/cur/3;2,S: ${MAIL}`,
      'Mail/.INBOX.Entw&APw-rfe/new/1: left out: drafts',
      `Mail/.Sent/cur/1:2,S: ${MAIL}`,
      'Mail/.Trash/cur/1:2,S: left out: deleted',
      `Takeout/Mail/Chat/1.eml: ${MAIL}`,
      'Takeout/Mail/Spam.mbox#0: left out: spam',
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
