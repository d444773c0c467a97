/** What somebody reads who follows the link of a mail. Nothing in it comes from the request. */
export function unsubscribePage(outcome: 'asked' | 'done'): string {
  const [title, content] =
    outcome === 'asked'
      ? [
          'No more mails about notifications?',
          `<form method="post"><button name="${oneClick.name}" value="${oneClick.value}">Send me no more of them</button></form>`,
        ]
      : [
          'You get no more mails about notifications',
          '<p>In Kontor you find them as before. You may close this page.</p>',
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

/** The one field of the form that a mail program sends by itself (RFC 8058 §3.1), and that our page sends too. */
export const oneClick = { name: 'List-Unsubscribe', value: 'One-Click' } as const;
