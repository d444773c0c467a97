/** Conversations of three HTML mails each, the newest tickets of the measured workspace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeMail } from '../../emulators/customer-mail.ts';
import { randomOf } from '../../emulators/random.ts';
import { environmentOf, type ServiceOptions } from '../house.ts';
import { bodyText, capital, words } from '../words.ts';
import { largestWorkspace, workspaceId } from '../world.ts';

const conversationCount = 300;
const mailsEach = 3;
/** After all tickets of the bench's world. */
const firstMs = Date.UTC(2026, 0, 1);

/** A text that only the newest mail of a conversation contains, by the ticket's subject. */
export function markOf(subject: string): string {
  return `Reference ${/\d+$/.exec(subject)?.[0]}.`;
}

export async function importConversations(options: ServiceOptions): Promise<void> {
  const path = join(options.folder, 'conversations.mbox');
  const entries: Buffer[] = [];
  for (let mail = 0; mail < conversationCount * mailsEach; mail++) entries.push(await entryOf(mail));
  await writeFile(path, Buffer.concat(entries));
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'import', '--workspace', workspaceId(largestWorkspace), path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environmentOf(options),
  });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`the import ended with ${exitCode}`);
}

async function entryOf(mail: number): Promise<Buffer> {
  const conversation = mail % conversationCount;
  const nth = Math.floor(mail / conversationCount);
  const random = randomOf(21, mail);
  const subject = `${capital(words(randomOf(22, conversation), 4))} ${conversation}`;
  const earlier = Array.from({ length: nth }, (_, index) => idOf(conversation, index));
  const text = `${bodyText(random)}\n\n${nth === mailsEach - 1 ? markOf(subject) : ''}`;
  const date = new Date(firstMs + mail * 60_000);
  const raw = await writeMail(
    {
      from: `Customer ${conversation} <customer${conversation}@example.net>`,
      subject: nth === 0 ? subject : `Re: ${subject}`,
      text,
      html: htmlOf(text),
      messageId: idOf(conversation, nth),
      ...(nth > 0 && { inReplyTo: earlier.at(-1) ?? '', references: earlier }),
    },
    { to: 'desk@kontor.example', date },
  );
  const lines = raw
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replace(/^(>*From )/gm, '>$1');
  return Buffer.from(`From MAILER-DAEMON ${date.toUTCString()}\n${lines}\n`, 'latin1');
}

/** HTML as mail programs write it: in a table, with styles on each part. */
function htmlOf(text: string): string {
  const paragraphs = text
    .split('\n\n')
    .map((part) => `<p style="margin:0 0 12px;font-family:Arial,sans-serif;font-size:14px;color:#222">${part}</p>`);
  return [
    '<table width="100%" cellpadding="0" cellspacing="0"><tr><td style="padding:8px">',
    paragraphs.join(''),
    '</td></tr></table>',
  ].join('');
}

function idOf(conversation: number, nth: number): string {
  return `conversation-${conversation}-${nth}@example.net`;
}
