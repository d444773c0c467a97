import { htmlToText, textToHtml } from '../lib/html/html-text.ts';
import { sanitizeHtml } from '../lib/html/sanitize.ts';
import type { StoredSavedReply } from './schema.ts';
import { fillHtml, fillText, type MissingVariable, type VariableValues } from './variables.ts';

export type RenderedText = { subject: string | null; body: string; bodyHtml: string; missing: MissingVariable[] };

/** The texts of a reply with the values of one conversation. */
export function renderReply(
  { subject, body, bodyHtml }: Pick<StoredSavedReply, 'subject' | 'body' | 'bodyHtml'>,
  values: VariableValues,
): RenderedText {
  const filledSubject = fillText(subject ?? '', values);
  const filled = bodyHtml === null ? fillText(body, values) : fillHtml(bodyHtml, values);
  const html = bodyHtml === null ? (filled.text === '' ? '' : textToHtml(filled.text)) : filled.text;
  // A value may have landed inside an attribute, so the sanitizer has the last word.
  const clean = sanitizeHtml(html);
  return {
    subject: filledSubject.text || null,
    body: bodyHtml === null ? filled.text : htmlToText(clean),
    bodyHtml: clean,
    missing: [...filledSubject.missing, ...filled.missing].filter(
      ({ variable }, index, all) => all.findIndex((other) => other.variable === variable) === index,
    ),
  };
}
