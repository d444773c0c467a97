/** Unusual mail that real mailboxes receive now and then. */
import { randomUUID } from 'node:crypto';
import { type MailFields, writeMail } from '../customer-mail.ts';

export type OddMail = 'list' | 'huge' | 'broken';

/** Exchange's usual limit is 35 MB. */
const hugeBytes = 30 * 1024 * 1024;

export async function writeOddMail(kind: OddMail, usual: { to: string; date: Date }): Promise<Buffer> {
  if (kind === 'broken') return brokenMail(usual.to);
  const odd: Record<Exclude<OddMail, 'broken'>, () => MailFields> = {
    list: () => ({
      from: 'Announcements <news@lists.example.com>',
      to: ['members@lists.example.com'],
      subject: '[members] News of the month',
      headers: {
        'List-Id': '<members.lists.example.com>',
        'List-Unsubscribe': '<mailto:leave@lists.example.com>',
        Precedence: 'list',
      },
    }),
    huge: () => ({
      subject: 'Our pictures',
      attachments: [
        { fileName: 'pictures.bin', contentType: 'application/octet-stream', content: Buffer.alloc(hugeBytes) },
      ],
    }),
  };
  return writeMail(odd[kind](), usual);
}

/** A header line without a name, raw 8-bit bytes in a subject, and a multipart with wrong boundaries. */
function brokenMail(to: string): Buffer {
  const lines = [
    'From: broken@example.com',
    `To: ${to}`,
    'a line that is no header',
    'Subject: Gr\xfc\xdfe',
    `Message-ID: <${randomUUID()}@example.com>`,
    'Content-Type: multipart/mixed; boundary="never"',
    '',
    '--another',
    'Content-Type: text/plain; charset=nonsense',
    'Content-Transfer-Encoding: base64',
    '',
    'SGVsbG8*',
  ];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}
