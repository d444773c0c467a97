import { createHash } from 'node:crypto';
import { escapeHtml, escapeText } from '@kontor/mail/html/html-text.ts';
import type { Language } from '../../ground/lib/language.ts';
import type { Asked } from './ask.ts';
import { commentMax } from './schema.ts';
import { customerWords } from './words.ts';

const style = [
  'body{margin:0 auto;max-width:32rem;padding:2rem 1rem;font:1rem/1.5 system-ui,sans-serif}',
  'body{color:#1c1c1c;background:#fff}',
  'h1{font-size:1.5rem}fieldset{border:0;margin:0;padding:0}label{display:block;padding:.5rem 0}',
  'textarea{box-sizing:border-box;width:100%;font:inherit;padding:.5rem}',
  'button{margin-top:1rem;padding:.75rem 2rem;font:inherit;font-weight:600;border:0;border-radius:.5rem}',
  'button{color:#fff;background:#1d4ed8}',
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}textarea{color:inherit;background:#222}}',
].join('');

/** The headers of each page: nothing runs, nothing loads, nobody frames it, and no search engine lists it. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join(';'),
  'x-robots-tag': 'noindex, nofollow',
};

type Shown = Pick<Asked, 'scale' | 'question' | 'language'> & { score: number | null; comment: string | null };

/** The form for an answer. The score of the link is chosen already. */
export function askPage(ask: Shown, form: string, { isAgain = false }: { isAgain?: boolean } = {}): string {
  const words = customerWords[ask.language];
  const options = words.scores[ask.scale].map((name, index) => {
    const value = index + 1;
    const checked = value === ask.score ? ' checked' : '';
    return `<label><input type="radio" name="score" value="${value}" required${checked}> ${escapeText(name)}</label>`;
  });
  options.reverse();
  return page(ask.language, ask.question ?? words.question, [
    isAgain ? `<p role="alert">${escapeText(words.again)}</p>` : '',
    `<form method="post"><input type="hidden" name="form" value="${escapeHtml(form)}">`,
    `<fieldset>${options.join('')}</fieldset>`,
    `<label>${escapeText(words.comment)}`,
    `<textarea name="comment" rows="4" maxlength="${commentMax}">${escapeText(ask.comment ?? '')}</textarea></label>`,
    `<button>${escapeText(words.send)}</button></form>`,
  ]);
}

/** Asks whether a person gave the answer. The form brings it along. */
export function confirmPage(ask: Shown, form: string): string {
  const words = customerWords[ask.language];
  const hidden = { form, score: String(ask.score ?? ''), comment: ask.comment ?? '' };
  return page(ask.language, words.confirm, [
    `<p>${escapeText(words.confirmText)}</p><form method="post">`,
    ...Object.entries(hidden).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
    ),
    `<button>${escapeText(words.confirmSend)}</button></form>`,
  ]);
}

export function notePage(language: Language, note: 'thanks' | 'answered' | 'gone'): string {
  const words = customerWords[language];
  return page(language, words[note], [`<p>${escapeText(words[`${note}Text`])}</p>`]);
}

function page(language: Language, title: string, content: readonly string[]): string {
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta name="robots" content="noindex"><title>${escapeText(title)}</title><style>${style}</style></head>`,
    `<body><main><h1>${escapeText(title)}</h1>`,
    ...content.filter((line) => line !== ''),
    '</main></body>',
    '</html>',
    '',
  ].join('\n');
}
