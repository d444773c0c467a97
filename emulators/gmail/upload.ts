/** The mail in a request of messages.send, in each form that the API accepts. */
import { Refusal } from './answer.ts';

export type SendRequest = { raw: Buffer; threadId: string | undefined };

export function readSendJson(body: Buffer): SendRequest {
  const { raw, threadId } = readJson(body);
  if (typeof raw !== 'string' || raw === '')
    throw new Refusal(
      400,
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
      'invalidArgument',
    );
  if (!/^[\w+/-]+={0,2}$/.test(raw)) throw new Refusal(400, 'Invalid value for ByteString: raw', 'invalid');
  return { raw: Buffer.from(raw, 'base64url'), threadId: threadIdOf(threadId) };
}

/** An upload: the mail alone (`media`), or with its metadata (`multipart`, RFC 2387). */
export function readSendUpload(body: Buffer, uploadType: string | null, contentType: string): SendRequest {
  if (uploadType === 'media') return { raw: body, threadId: undefined };
  if (uploadType !== 'multipart') throw new Refusal(400, `Unknown uploadType: ${uploadType}`, 'badRequest');
  const [, quoted, boundary = quoted] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  if (boundary === undefined) throw new Refusal(400, 'Missing multipart boundary', 'badContent');
  const line = Buffer.from(`--${boundary}`);
  const [first, second, last] = [
    body.indexOf(line),
    body.indexOf(line, body.indexOf(line) + 1),
    body.lastIndexOf(line),
  ];
  if (first === -1 || second === first || last <= second)
    throw new Refusal(400, 'Malformed multipart body', 'badContent');
  const { threadId } = readJson(partContent(body, first + line.length, second));
  return { raw: partContent(body, second + line.length, last), threadId: threadIdOf(threadId) };
}

/** The bytes between a part's header and the line break before the next boundary. */
function partContent(body: Buffer, start: number, end: number): Buffer {
  const crlf = body.indexOf('\r\n\r\n', start);
  const lf = body.indexOf('\n\n', start);
  const from = crlf !== -1 && (lf === -1 || crlf < lf) ? crlf + 4 : lf + 2;
  const to = body[end - 2] === 0x0d ? end - 2 : end - 1;
  return body.subarray(from, to);
}

export function readJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.length === 0 ? '{}' : body.toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>; // Checked in this line.
  } catch {
    // Answered below.
  }
  throw new Refusal(400, 'Invalid JSON payload received.', 'parseError');
}

function threadIdOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
