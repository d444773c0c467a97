import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runService } from '../test/harness/service-process.ts';

const cell = 'style="border-bottom:1px solid #d8cdb8"';
const html = `<table width="100%" cellpadding="0" cellspacing="0" style="font-family:Georgia,serif;color:#333">
<tr><td style="padding:24px;background:#f3efe6">
<h1 style="margin:0 0 8px;font-size:26px;color:#7a3b12">Spring catalogue</h1>
<p style="margin:0 0 16px">Forty new lamps, bells and bags for your counter.
Orders before the 30th leave the same week.</p>
<img src="https://pictures.example/lamp.png" width="160" height="90" alt="A lamp">
<table cellpadding="8" style="border-collapse:collapse;margin-top:16px">
<tr style="background:#7a3b12;color:#fff"><th align="left">Article</th><th align="right">Price</th></tr>
<tr><td ${cell}>Front lamp, 100 lux</td><td align="right" ${cell}>€ 49.00</td></tr>
<tr><td ${cell}>Brass bell</td><td align="right" ${cell}>€ 12.50</td></tr></table>
<p style="margin:16px 0 0"><a href="https://supplier.example/order">Order now</a></p></td></tr></table>`;

/** Old enough to leave the top of the list to the demo's own tickets. */
const sentAt = new Date(Date.now() - 20 * 24 * 3_600_000).toUTCString();

/** Imports mail that the demo lacks: HTML with remote pictures, and mail that asks for caution. */
export async function importMails(dataDir: string, folder: string): Promise<void> {
  const mails = [
    mailOf('Lumen Wholesale <news@lumen.example>', 'Our spring catalogue is here', 'text/html', html),
    mailOf(
      'Accounts <accounts@lumen.example>',
      'Our new bank details',
      'text/plain',
      'Please pay from now on to the account below.',
      {
        'Reply-To': 'payments@another.example',
        'Auto-Submitted': 'auto-generated',
      },
    ),
  ];
  mails.push(
    mailOf(
      'Prize Office <win@lucky.example>',
      'You have won a golden bicycle',
      'text/plain',
      'Send us your bank details today, and the bicycle leaves tomorrow.',
    ),
  );
  const path = join(folder, 'mails.mbox');
  await writeFile(path, mails.join(''));
  const importing = runService({ DATA_DIR: dataDir }, ['src/main.ts', 'import', '--workspace', 'Radwerk', path]);
  const { code } = await importing.exited;
  if (code !== 0) throw new Error(`the import ended with ${code}:\n${importing.output()}`);
}

function mailOf(from: string, subject: string, type: string, body: string, more: Record<string, string> = {}): string {
  const headers = {
    ...{ From: from, To: 'hello@radwerk.example', Subject: subject, Date: sentAt },
    ...{ 'Message-ID': `<${subject.replaceAll(' ', '-')}@lumen.example>`, 'MIME-Version': '1.0' },
    ...{ 'Content-Type': `${type}; charset=utf-8`, ...more },
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `From MAILER-DAEMON ${sentAt}\n${lines.join('\n')}\n\n${body}\n\n`;
}
