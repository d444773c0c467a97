import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Makes a large mbox to measure the import with: the mails of a folder again and again, their Message-ID, In-Reply-To and
 * References renamed together, so that each round's conversations are its own.
 *
 *   node scripts/make-mbox.ts --size-mb 30 --out /tmp/30mb.mbox [<folder of .eml files>]
 */
const { values, positionals } = parseArgs({
  options: { 'size-mb': { type: 'string', default: '30' }, out: { type: 'string' } },
  allowPositionals: true,
});
const folder = positionals[0] ?? join(process.env.CORPUS_DIR ?? '../shared/corpus', 'list-threads');
if (values.out === undefined) {
  console.error('usage: node scripts/make-mbox.ts --size-mb <megabytes> --out <file> [<folder>]');
  process.exit(2);
}
const written = await makeMbox(folder, values.out, Number(values['size-mb']) * 1_000_000);
console.log(`${written.mails} mails, ${written.bytes} bytes, ${written.rounds} rounds in ${values.out}`);

async function makeMbox(
  from: string,
  path: string,
  bytesMin: number,
): Promise<{ mails: number; bytes: number; rounds: number }> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readFile(join(from, name), 'latin1')));
  const output = createWriteStream(path);
  const done = { mails: 0, bytes: 0, rounds: 0 };
  while (done.bytes < bytesMin) {
    done.rounds++;
    for (const mail of mails) {
      const entry = Buffer.from(mboxEntry(renameIds(mail, done.rounds)), 'latin1');
      done.bytes += entry.length;
      done.mails++;
      if (!output.write(entry)) await once(output, 'drain');
      if (done.bytes >= bytesMin) break;
    }
  }
  output.end();
  await once(output, 'finish');
  return done;
}

/** latin1 keeps every byte as it is. */
function renameIds(mail: string, round: number): string {
  const headerEnd = /\r?\n\r?\n/.exec(mail)?.index ?? mail.length;
  const header = mail
    .slice(0, headerEnd)
    .replace(/^(?:message-id|in-reply-to|references):.*(?:\r?\n[ \t].*)*/gim, (field) =>
      field.replace(/<([^<>]+)>/g, `<r${round}.$1>`),
    );
  return header + mail.slice(headerEnd);
}

/** The mboxrd way: whoever reads it takes one `>` off. */
function mboxEntry(mail: string): string {
  const body = mail.replace(/\r\n/g, '\n').replace(/^(>*From )/gm, '>$1');
  return `From mbox@example.org Thu Jan  1 00:00:00 2026\n${body.endsWith('\n') ? body : `${body}\n`}\n`;
}
