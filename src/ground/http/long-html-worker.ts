import { htmlToText } from '@kontor/mail/html/html-text.ts';
import type { ReadyHtml } from '../lib/html/ready-html.ts';
import { sanitizeHtml } from '../lib/html/sanitize.ts';

/** Runs in a worker thread. Prepares everything that the main thread asks of long HTML. */
export function answer(htmls: readonly string[]): ReadyHtml {
  const clean = new Map<string, string>();
  const cleanWithMentions = new Map<string, string>();
  const text = new Map<string, string>();
  for (const html of htmls) {
    const kept = sanitizeHtml(html, { keepsMentions: true });
    // Only HTML of members keeps mentions, and most has none.
    const plain = kept.includes('data-user') ? sanitizeHtml(html) : kept;
    cleanWithMentions.set(html, kept);
    clean.set(html, plain);
    // Text with a saved reply is made safe twice.
    cleanWithMentions.set(kept, sanitizeHtml(kept, { keepsMentions: true }));
    for (const each of new Set([kept.trim(), plain.trim()])) text.set(each, htmlToText(each));
  }
  return { clean, cleanWithMentions, text };
}
