import { AppError, type Issue } from '../lib/errors.ts';

/** How many faults one answer tells of. */
export const issuesMax = 100;
export const badTextMessage = 'holds U+0000 or a lone surrogate';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body; an empty one is `{}`.
 * Throws `request.malformed_json`, or `request.invalid` where a string holds what PostgreSQL's text cannot.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(body);
    if (text.trim() === '') return {};
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('request.malformed_json', {}, { cause });
  }
  // Well-formed UTF-8 holds no lone surrogate, and raw U+0000 is no JSON: only escapes can bring them in.
  if (suspiciousEscape.test(text)) refuseBadText(value);
  return value;
}

const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;

export function hasBadText(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed();
}

function refuseBadText(root: unknown): void {
  const issues: Issue[] = [];
  // A stack of our own: the depth is the caller's.
  const waiting: { path: string; value: unknown }[] = [{ path: 'body', value: root }];
  for (let item = waiting.pop(); item !== undefined && issues.length < issuesMax; item = waiting.pop()) {
    const { path, value } = item;
    if (typeof value === 'string' && hasBadText(value)) issues.push({ path, message: badTextMessage });
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (hasBadText(key)) issues.push({ path, message: `has a field whose name ${badTextMessage}` });
      else waiting.push({ path: path.length > 300 ? path : `${path}.${key}`, value: child });
    }
  }
  if (issues.length > 0) throw new AppError('request.invalid', { issues });
}
