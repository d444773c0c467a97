import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeCorpus } from '../../test/harness/corpus.ts';
import { mailFingerprint } from './identity.ts';
import { parseMail } from './parse.ts';

describeCorpus('the corpus', (corpus) => {
  const filesOf = (folder: string) =>
    readdirSync(join(corpus, folder)).map((name) => ({ name, raw: readFileSync(join(corpus, folder, name)) }));

  it.each(['messages', 'bounces', 'list-threads'])('parses every mail of %s', async (folder) => {
    for (const { raw } of filesOf(folder)) await expect(parseMail(raw)).resolves.toBeDefined();
  });

  it('counts the 210 copies of list-threads as 176 mails', async () => {
    const fingerprints = new Set<string>();
    for (const { raw } of filesOf('list-threads')) fingerprints.add(mailFingerprint(await parseMail(raw), raw));
    expect(fingerprints.size).toBe(176);
  });

  it('shows no replacement character when a mail names its charsets correctly', async () => {
    let checked = 0;
    for (const { name, raw } of [...filesOf('messages'), ...filesOf('bounces'), ...filesOf('list-threads')]) {
      if (!namesCharsetsRightly(raw)) continue;
      checked++;
      const { subject, from, text } = await parseMail(raw);
      expect(`${subject}${from?.name}${from?.email}${text}`, name).not.toContain('\ufffd');
    }
    expect(checked).toBeGreaterThan(380);
  });
});

/** Checks without the parser that the Encoding Standard knows every label, and that all bytes decode without errors. */
function namesCharsetsRightly(raw: Buffer): boolean {
  const mail = raw.toString('latin1').replaceAll('\r\n', '\n');
  // A mail may already contain U+FFFD from an earlier program.
  if (mail.includes('\xef\xbf\xbd') || /=ef=bf=bd/i.test(mail)) return false;
  const header = mail.slice(0, mail.indexOf('\n\n'));
  if (!decodes('utf-8', Buffer.from(header, 'latin1'))) return false;
  for (const word of header.matchAll(/=\?([^?]+)\?([qb])\?([^?]*)\?=/gi)) {
    const content =
      word[2]?.toLowerCase() === 'b' ? Buffer.from(word[3] ?? '', 'base64') : unquotePrintable(word[3] ?? '');
    if (!decodes(word[1] ?? '', content)) return false;
  }
  return mail.split(/\n--[^\n]*\n|^(?=[A-Za-z-]+:)/).every((part) => {
    const [fields = '', ...rest] = part.split('\n\n');
    const label = /charset="?([^\s";]+)/i.exec(fields)?.[1] ?? (/[\x80-\xff]/.test(part) ? 'utf-8' : 'us-ascii');
    const body = rest.join('\n\n');
    const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(fields)?.[1]?.toLowerCase();
    if (encoding === 'base64')
      return /^content-type:\s*text/im.test(fields) ? decodes(label, Buffer.from(body, 'base64')) : true;
    return decodes(label, encoding === 'quoted-printable' ? unquotePrintable(body) : Buffer.from(body, 'latin1'));
  });
}

function unquotePrintable(text: string): Buffer {
  const joined = text.replace(/=[ \t]*\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9a-f]{2})/gi, (_whole, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

function decodes(label: string, content: Buffer): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}
