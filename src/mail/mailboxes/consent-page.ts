import { escapeHtml } from '@kontor/mail/html/html-text.ts';

/** The page for a person who returns from a provider. It has no scripts and no styles, so injected text cannot act. */
export type ConsentOutcome =
  | { kind: 'connected'; id: string; address: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'approved' }
  | { kind: 'not-approved'; code: string }
  | { kind: 'unfinished' };

export function consentPage(outcome: ConsentOutcome): string {
  const [title, text] = wordsOf(outcome);
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`,
    `<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body>`,
    '</html>',
    '',
  ].join('\n');
}

function wordsOf(outcome: ConsentOutcome): [title: string, text: string] {
  switch (outcome.kind) {
    case 'connected':
      return [
        'The mailbox is connected',
        `Mail that comes to ${outcome.address} becomes tickets from now on. You may close this page.`,
      ];
    case 'refused':
      return ['The mailbox is not connected', outcome.reason];
    case 'approved':
      return [
        'The application is approved',
        'People of this organisation can connect their mailboxes now. If you wanted to connect one, begin again.',
      ];
    case 'not-approved':
      return [
        'The application is not approved',
        `The provider says that nobody approved it${codeIn(outcome.code)}. A person who may approve applications for the
organisation must do it, such as a Cloud Application Administrator. The link can be opened again.`,
      ];
    case 'unfinished':
      return [
        'One step is left',
        `The consent began in another browser. The person who began must finish it within ten minutes of the beginning.
Sign in and send the state and the code that stand in the address of this page:
POST /v1/workspaces/<workspace>/mailboxes/connect/finish.`,
      ];
  }
}

/**
 * Shows the error code of the address only when it looks like a code. Anybody can write the address, so no other part
 * is shown.
 */
export function codeIn(error: string): string {
  return /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : '';
}
