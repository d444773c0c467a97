import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MailFields, writeMail } from '../emulators/customer-mail.ts';
import { randomOf } from '../emulators/random.ts';
import { environmentOf, type ServiceOptions } from './house.ts';
import type { ImportReport } from './report.ts';
import { bodyText, capital, words } from './words.ts';
import { workspaceId } from './world.ts';

const conversationCount = 1_000;
const mailsPerConversation = 3;
const attachmentBytes = 20_000;
const firstMs = Date.UTC(2023, 0, 1);

/** Imports an mbox as `npm run import` does, beside the running service. */
export async function measureImport(options: ServiceOptions): Promise<ImportReport> {
  const path = join(options.folder, 'bench.mbox');
  const sizeMb = (await writeMbox(path)) / 1024 ** 2;
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=16', '--no-parallel-scavenge', main, 'import', '--workspace', workspaceId(1), path],
    { stdio: ['ignore', 'pipe', 'inherit'], env: environmentOf(options) },
  );
  const [table, peakMb, [exitCode]] = await Promise.all([text(child.stdout), peakMbOf(child), once(child, 'exit')]);
  const mails = Number(/^\s*new\s+(\d+)$/m.exec(table)?.[1]);
  if (exitCode !== 0 || mails !== conversationCount * mailsPerConversation)
    throw new Error(`the import ended with ${exitCode}:\n${table}`);
  // The import's own figure, which leaves out the start of the process.
  const seconds = Number(/^in ([\d.]+) s,/m.exec(table)?.[1]);
  return { mails, sizeMb, mailsPerSecond: mails / seconds, peakMb };
}

/** The process's peak memory, by proc(5); null where /proc does not exist. */
async function peakMbOf(child: ChildProcess): Promise<number | null> {
  let peakMb: number | null = null;
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const peak = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
    if (peak !== undefined) peakMb = Number(peak) / 1024;
    await sleep(50);
  }
  return peakMb;
}

/** @returns the size in bytes */
async function writeMbox(path: string): Promise<number> {
  const file = await open(path, 'w');
  try {
    let bytes = 0;
    for (let mail = 0; mail < conversationCount * mailsPerConversation; mail++)
      bytes += (await file.write(await mboxEntry(mail))).bytesWritten;
    return bytes;
  } finally {
    await file.close();
  }
}

async function mboxEntry(mail: number): Promise<Buffer> {
  const date = new Date(firstMs + mail * 60_000);
  const raw = await writeMail(fieldsOf(mail), { to: 'desk@kontor.example', date });
  const lines = raw
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replace(/^(>*From )/gm, '>$1');
  return Buffer.from(`From MAILER-DAEMON ${date.toUTCString()}\n${lines}\n`, 'latin1');
}

/** A question, an answer, and an answer to that. Conversations interleave, as in real mail. */
function fieldsOf(mail: number): MailFields {
  const random = randomOf(1, mail);
  const conversation = mail % conversationCount;
  const body = bodyText(random);
  const earlier = Array.from({ length: Math.floor(mail / conversationCount) }, (_, nth) => idOf(nth, conversation));
  const replied = earlier.at(-1);
  const subject = capital(words(randomOf(2, conversation), 5));
  return {
    from: `Customer ${conversation} <customer${conversation}@example.net>`,
    subject: replied === undefined ? subject : `Re: ${subject}`,
    text: body,
    ...(mail % 2 === 0 ? { html: `<p>${body.replaceAll('\n\n', '</p><p>')}</p>` } : {}),
    messageId: idOf(earlier.length, conversation),
    ...(replied === undefined ? {} : { inReplyTo: replied, references: earlier }),
    attachments:
      mail % 10 === 0
        ? [{ fileName: 'receipt.bin', contentType: 'application/octet-stream', content: fileOf(mail) }]
        : [],
  };
}

function idOf(nth: number, conversation: number): string {
  return `bench.${conversation}.${nth}@example.net`;
}

function fileOf(mail: number): Buffer {
  const random = randomOf(3, mail);
  return Buffer.from(Array.from({ length: attachmentBytes }, () => random.below(256)));
}
