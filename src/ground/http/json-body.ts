import { AppError } from '../lib/errors.ts';
import { type Issue, issueAt } from '../lib/issues.ts';

/** How many faults one answer reports. */
export const issuesMax = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body. An empty body gives `{}`.
 * Throws `request.malformed_json`, or `request.invalid` for strings that PostgreSQL's text type cannot store.
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
  // Valid UTF-8 contains no lone surrogate, and JSON forbids a raw U+0000. Only escapes can produce either.
  if (suspiciousEscape.test(text)) refuseBadText(value);
  return value;
}

const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;

export function hasBadText(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed();
}

function refuseBadText(root: unknown): void {
  const issues: Issue[] = [];
  // An explicit stack instead of recursion, because the caller chooses the depth.
  const waiting: { path: string; value: unknown }[] = [{ path: 'body', value: root }];
  for (let item = waiting.pop(); item !== undefined && issues.length < issuesMax; item = waiting.pop()) {
    const { path, value } = item;
    if (typeof value === 'string' && hasBadText(value)) issues.push(issueAt(path, 'bad_text'));
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (hasBadText(key)) issues.push(issueAt(path, 'bad_name'));
      else waiting.push({ path: path.length > 300 ? path : `${path}.${key}`, value: child });
    }
  }
  if (issues.length > 0) throw new AppError('request.invalid', { issues });
}
