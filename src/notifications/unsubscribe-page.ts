/** The page behind the unsubscribe link of a mail. Contains nothing from the request. */
export function unsubscribePage(outcome: 'asked' | 'done'): string {
  const [title, content] =
    outcome === 'asked'
      ? [
          'Stop mails about notifications?',
          `<form method="post"><button name="${oneClick.name}" value="${oneClick.value}">Stop mails</button></form>`,
        ]
      : [
          'You will get no more mails about notifications',
          '<p>Kontor still shows your notifications. You can close this page.</p>',
        ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${title}</title></head>`,
    `<body><h1>${title}</h1>${content}</body>`,
    '</html>',
    '',
  ].join('\n');
}

/** The form field of a one-click unsubscribe (RFC 8058 §3.1). Mail programs send it, and so does our page. */
export const oneClick = { name: 'List-Unsubscribe', value: 'One-Click' } as const;
