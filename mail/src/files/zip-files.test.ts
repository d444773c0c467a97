import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ZipEntry, zipOf } from '../../../test/harness/zip.ts';
import { type ReadOptions, readMails } from './mailbox-files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-zips-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const MAIL = 'Subject: x\nFrom: a@b.c\n\nx\n';
const MBOX = `From a@b.c Fri Nov 20 19:05:01 2026\n${MAIL}\nFrom a@b.c Fri Nov 20 19:05:02 2026\n${MAIL}\n`;

/** The findings in a file: each mail as its content, anything else as its outcome. */
async function foundIn(content: Uint8Array, options: ReadOptions = {}): Promise<string[]> {
  const path = join(folder, 'a.zip');
  await writeFile(path, content);
  const list: string[] = [];
  let share = 0;
  for await (const mail of readMails(path, { name: 'a.zip', isMailByName: false, ...options })) {
    expect(mail.share).toBeGreaterThanOrEqual(share);
    expect(mail.share).toBeLessThanOrEqual(1);
    share = mail.share;
    const outcome = 'raw' in mail ? mail.raw.toString() : 'skipped' in mail ? mail.skipped : 'too large';
    list.push(`${mail.source}: ${outcome}`);
  }
  return list;
}
const inZip = (entries: readonly ZipEntry[], options?: ReadOptions) => foundIn(zipOf(entries), options);

describe('the mails of a zip archive', () => {
  it('are those of its mails and mbox files, in its order, without folders and hidden files', async () => {
    expect(
      await inZip([
        { name: 'Mail/', content: '' },
        { name: 'Mail/Inbox.mbox', content: MBOX },
        { name: 'Mail/1.eml', content: MAIL },
        { name: 'Mail/.DS_Store', content: 'x' },
        { name: '__MACOSX/Mail/._1.eml', content: MAIL },
        { name: 'Grüße.eml', content: 'damaged' },
        { name: 'photo.jpg', content: 'x' },
        { name: 'none.eml', content: '' },
      ]),
    ).toEqual([
      `a.zip/Mail/Inbox.mbox#0: ${MAIL}`,
      `a.zip/Mail/Inbox.mbox#${MBOX.length / 2}: ${MAIL}`,
      `a.zip/Mail/1.eml: ${MAIL}`,
      'a.zip/Grüße.eml: damaged',
      'a.zip/photo.jpg: not-a-mail',
      'a.zip/none.eml: empty-file',
    ]);
  });

  it('come from names that lead elsewhere, which are only shown', async () => {
    const names = ['../../etc/cron.d/x.eml', '/x.eml', 'C:\\x.eml', 'a\u0000b\u202e.eml', 'x'.repeat(5_000)];
    expect(await inZip(names.map((name) => ({ name, content: MAIL })))).toEqual(
      ['../../etc/cron.d/x.eml', '/x.eml', 'C:/x.eml', 'ab.eml', 'x'.repeat(300)].map(
        (name) => `a.zip/${name}: ${MAIL}`,
      ),
    );
  });

  it('do not come from an archive in the archive', async () => {
    expect(await inZip([{ name: 'b.zip', content: zipOf([{ name: '1.eml', content: MAIL }]) }])).toEqual([
      'a.zip/b.zip: archive-in-archive',
    ]);
  });

  it.each([
    ['encrypted', { flags: 0x0801 }],
    ['unknown-compression', { method: 99 }],
    ['damaged', { crc: 1 }],
    ['damaged', { size: 1 }],
    ['damaged', { size: 4_000_000_000 }],
  ])('leave out one that is %s, and go on', async (outcome, claims) => {
    const entries = [
      { name: '1.eml', content: MAIL, claims },
      { name: '2.eml', content: MAIL },
    ];
    expect(await inZip(entries)).toEqual([`a.zip/1.eml: ${outcome}`, `a.zip/2.eml: ${MAIL}`]);
  });

  it('end where the archive unpacks to far more than its size', async () => {
    const bomb = `${MBOX}${'x'.repeat(3_000_000)}\n`;
    const entries = [
      { name: '1.mbox', content: bomb },
      { name: '2.mbox', content: bomb },
      { name: '3.eml', content: MAIL },
    ];
    const found = await inZip(entries, { zipLimits: { unpackedBytesMin: 4_000_000, ratioMax: 100 } });
    expect(found.map((line) => line.slice(0, 30))).toEqual([
      `a.zip/1.mbox#0: ${MAIL}`.slice(0, 30),
      expect.stringMatching(/^a\.zip\/1\.mbox#\d+: Subject: x/),
      `a.zip/2.mbox#0: ${MAIL}`.slice(0, 30),
      'a.zip/2.mbox: unpacks-too-far',
    ]);
  });

  it('end after too many files', async () => {
    const entries = [1, 2, 3].map((at) => ({ name: `${at}.eml`, content: MAIL }));
    expect(await inZip(entries, { zipLimits: { filesMax: 2 } })).toEqual([
      `a.zip/1.eml: ${MAIL}`,
      `a.zip/2.eml: ${MAIL}`,
      'a.zip: too-many-files',
    ]);
  });

  it('are none where the archive was cut off, or is damaged at any byte', async () => {
    const whole = zipOf([
      { name: '1.eml', content: MAIL },
      { name: '2.mbox', content: MBOX },
    ]);
    expect(await foundIn(whole.subarray(0, whole.length / 2))).toEqual(['a.zip: damaged']);
    for (let at = 4; at < whole.length; at += 3) {
      const odd = Buffer.from(whole);
      odd[at] = (odd[at] ?? 0) ^ 0xff;
      // Reading ends, with any damage.
      expect((await foundIn(odd)).length).toBeLessThan(10);
    }
  });
});
