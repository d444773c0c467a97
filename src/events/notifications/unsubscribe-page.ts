import type { Language } from '../../ground/lib/language.ts';

type Outcome = 'asked' | 'done';

const words: Readonly<Record<Language, Record<Outcome, { title: string; text: string }>>> = {
  en: {
    asked: { title: 'Stop mails about notifications?', text: 'Stop mails' },
    done: {
      title: 'You will get no more mails about notifications',
      text: 'Kontor still shows your notifications. You can close this page.',
    },
  },
  de: {
    asked: { title: 'Keine E-Mails über Mitteilungen mehr?', text: 'E-Mails abbestellen' },
    done: {
      title: 'Sie bekommen keine E-Mails über Mitteilungen mehr',
      text: 'Kontor zeigt Ihre Mitteilungen weiterhin an. Sie können diese Seite schließen.',
    },
  },
};

/** The page behind the unsubscribe link of a mail. Contains nothing from the request. */
export function unsubscribePage(outcome: Outcome, language: Language): string {
  const { title, text } = words[language][outcome];
  const content =
    outcome === 'asked'
      ? `<form method="post"><button name="${oneClick.name}" value="${oneClick.value}">${text}</button></form>`
      : `<p>${text}</p>`;
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    `<head><meta charset="utf-8"><title>${title}</title></head>`,
    `<body><h1>${title}</h1>${content}</body>`,
    '</html>',
    '',
  ].join('\n');
}

/** The form field of a one-click unsubscribe (RFC 8058 §3.1). Mail programs send it, and so does our page. */
export const oneClick = { name: 'List-Unsubscribe', value: 'One-Click' } as const;
