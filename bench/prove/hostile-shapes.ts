const mailBytes = 30 * 1024 * 1024;

export type HostileShape = { name: string; headers?: string; body: () => string };

const html = 'Content-Type: text/html; charset=utf-8\r\n';
const multipart = 'Content-Type: multipart/mixed; boundary=b\r\n';
const filled = (line: string, bytes = mailBytes) => line.repeat(Math.floor(bytes / line.length));
const fileOf = (content: string) =>
  [
    '--b',
    'Content-Type: application/pdf; name=f.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    content,
    '--b--',
    '',
  ].join('\r\n');

/** Mails of 30 MB that are dear to read. */
export const hostileShapes: HostileShape[] = [
  { name: 'paragraphs that stay open', headers: html, body: () => filled('<p>a\r\n') },
  { name: 'quoted lines', body: () => filled('> a\r\n') },
  { name: 'header lines of forwarded mail', body: () => filled('From: a\r\nSent: b\r\n') },
  { name: 'dashes in a multipart', headers: multipart, body: () => filled('--\r\n') },
  {
    name: 'quoted-printable',
    headers: 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n',
    body: () => filled('=C3=A9=20=\r\n'),
  },
  {
    name: 'References',
    headers: `References:${filled(' <a@b.example>\r\n', 8e6)}`,
    body: () => filled('text\r\n', 20e6),
  },
  {
    name: 'To',
    headers: `To: x@a.example${filled(',\r\n b@c.example', 8e6)}\r\n`,
    body: () => filled('text\r\n', 20e6),
  },
  { name: 'one line', body: () => filled('a') },
  { name: 'a file in base64', headers: multipart, body: () => fileOf(filled(`${'QUJD'.repeat(19)}\r\n`)) },
  {
    name: 'text in base64',
    headers: 'Content-Transfer-Encoding: base64\r\n',
    body: () => filled(`${'QUJD'.repeat(19)}\r\n`),
  },
  { name: 'header fields', headers: filled('X-A: b\r\n', mailBytes - 100), body: () => 'text' },
  { name: 'no end of the header', headers: filled('X-B: a\r\n', mailBytes - 100).slice(0, -2), body: () => '' },
  { name: 'parts', headers: multipart, body: () => filled('--b\r\n\r\na\r\n') },
  {
    name: 'nested multiparts',
    headers: multipart,
    body: () =>
      Array.from(
        { length: 400_000 },
        (_, at) => `--b${at || ''}\r\nContent-Type: multipart/mixed; boundary=b${at + 1}\r\n\r\n`,
      ).join(''),
  },
  { name: 'nested elements', headers: html, body: () => filled('<div><b>') },
  { name: 'attributes', headers: html, body: () => `<p ${filled('style="color:red" ')}>a` },
  { name: 'character references', headers: html, body: () => filled('&amp;&lt;') },
  { name: 'flowed text', headers: 'Content-Type: text/plain; format=flowed\r\n', body: () => filled('> a \r\n') },
  {
    name: 'a stateful charset',
    headers: 'Content-Type: text/plain; charset=iso-2022-kr\r\n',
    body: () => filled('\x0eab\x0f\r\n'),
  },
  { name: 'links', headers: html, body: () => filled('<a href="https://a.example/?b=c">d</a> ') },
];

/** Short texts that were dear to read, or are of kinds that are dear elsewhere. They fill a mail of this size. */
export function denseShapes(bytes: number): HostileShape[] {
  const full = (text: string) => filled(text, bytes - 400);
  const styled = (value: string) => filled(`<p style="${value}">a`, bytes - 400);
  const field = (name: string, text: string): HostileShape => ({
    name,
    headers: `${name}: ${full(text)}\r\n`,
    body: () => 'text',
  });
  return [
    { name: 'a size of many digits', headers: html, body: () => styled(`font-size:${'0'.repeat(4_900)}`) },
    { name: 'a height of many digits', headers: html, body: () => styled(`line-height:${'1'.repeat(4_900)}b`) },
    { name: 'a margin of blanks', headers: html, body: () => styled(`margin:a${' '.repeat(4_900)}b`) },
    { name: 'colours without an end', headers: html, body: () => styled(`color:${'hsl('.repeat(1_200)}`) },
    { name: 'tags without an end', headers: html, body: () => full('<img ') },
    { name: 'references to characters', headers: html, body: () => full('&#x26;&lt') },
    { name: 'comments', headers: html, body: () => full('<!--') },
    { name: 'lists in lists', headers: html, body: () => full('<ul><li>') },
    { name: 'quotes in quotes', headers: html, body: () => full('<blockquote type="cite">') },
    { name: 'lines of attribution', body: () => full('On Mon, 1 Jan 2024 at 10:00 <a@b.example> wrote\r\n> ') },
    { name: 'addresses in one line', body: () => full('a@b.example> ') },
    {
      name: 'a uuencoded file without an end',
      headers: 'Content-Transfer-Encoding: x-uuencode\r\n',
      body: () => full('\rbegin 644 '),
    },
    { name: 'a calendar', headers: 'Content-Type: text/calendar\r\n', body: () => full('BEGIN:VEVENT\r\n ') },
    {
      name: 'a report',
      headers: 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n',
      body: () =>
        `--b\r\nContent-Type: message/delivery-status\r\n\r\n${full('Final-Recipient: rfc822;a@b.example\r\n')}`,
    },
    { name: 'boundaries that never end', headers: multipart, body: () => full('--b\r\n') },
    field('Authentication-Results', '1'),
    field('Authentication-Results', 'a=b '),
    field('Subject', '=?utf-8?q?=41?= '),
    field('To', '"a" <b@c.example>, '),
    field('To', '(('),
    field('References', '<a@b.example> '),
    field('Content-ID', '> '),
    field('Content-Type', 'text/plain; a*0*=b%41;'),
    field('Content-Disposition', 'attachment; filename="a\\" (('),
    field('DKIM-Signature', 'v=1; a=b; '),
    field('Date', 'Mon, 1 ('),
    field('Received', 'from a (b) by c; '),
  ];
}

export function hostileMail({ headers = '', body }: HostileShape, at: number): Buffer {
  const head = `From: Eve <eve${at}@evil.example>\r\nSubject: Shape ${at}\r\nMessage-ID: <shape${at}@evil.example>\r\n`;
  return Buffer.from(`${head}${headers}\r\n${body()}\r\n`.slice(0, mailBytes + 500), 'latin1');
}
