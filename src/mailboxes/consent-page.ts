/** What somebody reads who comes back from a provider. Without scripts and styles: nothing that came along can do a thing. */
export type ConsentOutcome =
  | { kind: 'connected'; address: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'approved' }
  | { kind: 'not-approved'; code: string }
  | { kind: 'unfinished' };

export function consentPage(outcome: ConsentOutcome): string {
  const [title, text] = wordsOf(outcome);
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${escaped(title)}</title></head>`,
    `<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body>`,
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
        `This browser is not the one that began. Whoever began connects the mailbox, signed in and within ten minutes of the
beginning, with the state and the code that stand in the address of this page:
POST /v1/workspaces/<workspace>/mailboxes/connect/finish.`,
      ];
  }
}

/** The error code of the address, if it looks like one: anybody can write the address, so no other text of it is shown. */
export function codeIn(error: string): string {
  return /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : '';
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
