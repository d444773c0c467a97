import { safeHtmlOf } from '../../ground/lib/html/safe-html.ts';
import type { StoredSavedReply } from './schema.ts';
import { fillHtml, fillText, type MissingVariable, type VariableValues } from './variables.ts';

export type RenderedText = { subject: string | null; body: string; bodyHtml: string; missing: MissingVariable[] };

/** The texts of a reply with the values of one conversation. */
export function renderReply(
  { subject, body, bodyHtml }: Pick<StoredSavedReply, 'subject' | 'body' | 'bodyHtml'>,
  values: VariableValues,
): RenderedText {
  const filledSubject = fillText(subject ?? '', values);
  // The stored text of a reply with HTML is that of its HTML. Converting the filled HTML would hold the event loop.
  const filled = fillText(body, values);
  const html = bodyHtml === null ? undefined : fillHtml(bodyHtml, values);
  return {
    subject: filledSubject.text || null,
    body: filled.text,
    bodyHtml: html?.text ?? (filled.text === '' ? '' : safeHtmlOf(filled.text)),
    missing: [...filledSubject.missing, ...(html ?? filled).missing].filter(
      ({ variable }, index, all) => all.findIndex((other) => other.variable === variable) === index,
    ),
  };
}
