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

export function hostileMail({ headers = '', body }: HostileShape, at: number): Buffer {
  const head = `From: Eve <eve${at}@evil.example>\r\nSubject: Shape ${at}\r\nMessage-ID: <shape${at}@evil.example>\r\n`;
  return Buffer.from(`${head}${headers}\r\n${body()}\r\n`.slice(0, mailBytes + 500), 'latin1');
}
