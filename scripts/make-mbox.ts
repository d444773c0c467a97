import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

export type MadeMbox = { mails: number; bytes: number; rounds: number };

/**
 * Makes a large mbox for measuring the import. It repeats the mails of a folder and renames Message-ID, In-Reply-To and
 * References together, so that each round has its own conversations.
 */
export async function makeMbox(from: string, path: string, bytesMin: number): Promise<MadeMbox> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readFile(join(from, name), 'latin1')));
  const output = createWriteStream(path);
  const made = { mails: 0, bytes: 0, rounds: 0 };
  while (mails.length > 0 && made.bytes < bytesMin) {
    made.rounds++;
    for (const mail of mails) {
      const entry = Buffer.from(mboxEntry(renameIds(mail, made.rounds)), 'latin1');
      made.bytes += entry.length;
      made.mails++;
      if (!output.write(entry)) await once(output, 'drain');
      if (made.bytes >= bytesMin) break;
    }
  }
  output.end();
  await once(output, 'finish');
  return made;
}

/** latin1 keeps every byte. */
function renameIds(mail: string, round: number): string {
  const headerEnd = /\r?\n\r?\n/.exec(mail)?.index ?? mail.length;
  const header = mail
    .slice(0, headerEnd)
    .replace(/^(?:message-id|in-reply-to|references):.*(?:\r?\n[ \t].*)*/gim, (field) =>
      field.replace(/<([^<>]+)>/g, `<r${round}.$1>`),
    );
  return header + mail.slice(headerEnd);
}

/** The mboxrd format, whose readers remove one `>`. */
function mboxEntry(mail: string): string {
  const body = mail.replace(/\r\n/g, '\n').replace(/^(>*From )/gm, '>$1');
  return `From mbox@example.org Thu Jan  1 00:00:00 2026\n${body.endsWith('\n') ? body : `${body}\n`}\n`;
}

/** `node scripts/make-mbox.ts --size-mb 1000 --out <file> [<folder of .eml files>]` */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { 'size-mb': { type: 'string', default: '30' }, out: { type: 'string' } },
    allowPositionals: true,
  });
  if (values.out === undefined) {
    console.error('usage: node scripts/make-mbox.ts --size-mb <megabytes> --out <file> [<folder of .eml files>]');
    process.exitCode = 2;
    return;
  }
  const folder = positionals[0] ?? join(process.env.CORPUS_DIR ?? '../shared/corpus', 'list-threads');
  const { mails, bytes, rounds } = await makeMbox(folder, values.out, Number(values['size-mb']) * 1_000_000);
  console.log(`${mails} mails, ${bytes} bytes, ${rounds} rounds in ${values.out}`);
}

if (import.meta.main) await main();
