import { describe, expect, test } from 'vitest';
import { findForward, forwardedHtmlStart } from './forward.ts';

const eva = { name: 'Eva Example', email: 'eva@customer.example' };
const body = 'Hello,\n\nmy lamp is dark.\n\nEva';

const heads: Readonly<Record<string, readonly string[]>> = {
  Gmail: [
    '---------- Forwarded message ---------',
    'From: Eva Example <eva@customer.example>',
    'Date: Mon, 4 Mar 2024 at 09:15',
    'Subject: Dark lamp',
    'To: <shop@desk.example>',
    '',
    '',
  ],
  'Gmail in German': [
    '---------- Forwarded message ---------',
    'Von: Eva Example <eva@customer.example>',
    'Date: Mo., 4. März 2024 um 09:15 Uhr',
    'Subject: Dark lamp',
    'To: <shop@desk.example>',
    '',
    '',
  ],
  'Gmail with recipients in several lines': [
    '---------- Forwarded message ---------',
    'From: Eva Example <eva@customer.example>',
    'Date: Mon, 4 Mar 2024 at 09:15',
    'Subject: Dark lamp',
    'To: Shop <shop@desk.example>, Ola Nord <ola@desk.example>,',
    'Per Nord <per@desk.example>',
    '',
  ],
  Outlook: [
    '________________________________',
    'From: Eva Example <eva@customer.example>',
    'Sent: Monday, March 4, 2024 9:15 AM',
    'To: Shop <shop@desk.example>',
    'Subject: Dark lamp',
    '',
  ],
  'Outlook in German': [
    'Von: Eva Example [mailto:eva@customer.example]',
    'Gesendet: Montag, 4. März 2024 09:15',
    'An: Shop',
    'Betreff: Dark lamp',
    '',
  ],
  'older Outlook': [
    '-----Original Message-----',
    'From: Eva Example <eva@customer.example>',
    'Sent: Monday, March 4, 2024 9:15 AM',
    'To: shop@desk.example',
    'Subject: Dark lamp',
    '',
  ],
  'Outlook with links in its text': [
    'From: Eva Example <eva@customer.example<mailto:eva@customer.example>>',
    'Sent: Monday, March 4, 2024 9:15 AM',
    'Subject: Dark lamp',
    '',
  ],
  'Outlook in French': [
    'De : Eva Example <eva@customer.example>',
    'Envoyé : lundi 4 mars 2024 09:15',
    'À : Shop <shop@desk.example>',
    'Objet : Dark lamp',
    '',
  ],
  'a program that sets labels in bold': [
    '*From:* Eva Example <eva@customer.example>',
    '*Sent:* Monday, March 4, 2024 9:15 AM',
    '*Subject:* Dark lamp',
    '',
  ],
  'Thunderbird in German': [
    '-------- Weitergeleitete Nachricht --------',
    'Betreff: Dark lamp',
    'Datum: Mon, 4 Mar 2024 09:15:00 +0100',
    'Von: Eva Example <eva@customer.example>',
    'An: shop@desk.example',
    '',
    '',
  ],
  'a head whose From is wrapped': [
    '---------- Forwarded message ---------',
    'From: "Eva Example"',
    '<eva@customer.example>',
    'Date: Mon, 4 Mar 2024',
    'Subject: Dark',
    'lamp',
    'To: shop@desk.example',
    '',
  ],
};

describe('the head of a forwarded mail, by', () => {
  test.each(Object.entries(heads))('%s', (_, head) => {
    const forwarded = `${head.join('\n')}\n${body}`;
    expect(findForward(forwarded)).toEqual({ from: eva, subject: 'Dark lamp', above: '', text: body });
    const above = 'Can you take this?\n\nThanks, Ann';
    expect(findForward(`${above}\n\n${forwarded}`)?.above).toBe(above);
    expect(findForward(`${above}\n\n-- \nAnn Nord\nShop\n\n${forwarded}`)).toMatchObject({ above, text: body });
    expect(findForward(`Sent from my iPhone\n\n${forwarded}`)).toMatchObject({ above: '', text: body });
    expect(findForward(forwarded.replaceAll('\n', '\r\n'))?.text).toBe(body);
  });

  test('Apple Mail, which quotes what it forwards', () => {
    const quoted = [
      'From: Eva Example <eva@customer.example>',
      'Subject: Dark lamp',
      'Date: 4 March 2024 at 09:15:00 CET',
    ]
      .concat('To: shop@desk.example', '', body.split('\n'))
      .map((line) => `> ${line}`.trim());
    for (const divider of ['Begin forwarded message:', 'Anfang der weitergeleiteten Nachricht:'])
      expect(findForward(`For you.\n\n${divider}\n\n${quoted.join('\n')}\n`)).toEqual({
        ...{ from: eva, subject: 'Dark lamp', above: 'For you.', text: body },
      });
  });

  test('a program that names no person but the address', () => {
    const text = 'From: eva@customer.example\nDate: 4 March 2024\nSubject: Dark lamp\n\nHello';
    expect(findForward(text)?.from).toEqual({ name: null, email: eva.email });
  });
});

test('of nested forwards, the outermost head counts, and the rest stays in the text', () => {
  const inner =
    '---------- Forwarded message ---------\nFrom: Sam <sam@else.example>\nDate: 3 March 2024\nSubject: Lamp';
  const outer = heads.Gmail?.join('\n') ?? '';
  expect(findForward(`${outer}\nSee below.\n\n${inner}\n\nHi`)).toMatchObject({
    from: eva,
    text: `See below.\n\n${inner}\n\nHi`,
  });
  // Not the one deeper either if the outermost cannot be read.
  expect(findForward(`${outer.replace('<eva@customer.example>', '')}\n${inner}\n\nHi`)).toBeNull();
});

describe('no head', () => {
  test.each([
    ['a plain mail', 'Hello,\n\nplease call me.'],
    ['an answer above a quote', 'Yes.\n\nOn 4 Mar 2024, at 09:15, Eva <eva@customer.example> wrote:\n> Blue?'],
    [
      'a forward inside a quote',
      `On 4 Mar 2024, at 09:15, Eva <eva@customer.example> wrote:\n> ${heads.Gmail?.join('\n> ')}\n> Hi`,
    ],
    ['a sender without an address', 'From: Eva Example\nSent: Monday\nTo: shop@desk.example\nSubject: Lamp\n\nHello'],
    [
      'two addresses in From',
      'From: desk@customer.example On Behalf Of eva@customer.example\nSent: Monday\nTo: Shop\nSubject: Lamp\n\nHello',
    ],
    ['a journey', 'Please book:\nFrom: Berlin\nTo: Paris\nDate: 3 May 2024\n\nThanks'],
    ['a head in one line', 'From: Eva <eva@customer.example> Sent: Monday To: Shop Subject: Lamp Hello'],
    ['code', `Look:\n\n\`\`\`\n${heads.Outlook?.join('\n')}\n\`\`\`\n\nOdd?`],
    ['a divider alone', '---------- Forwarded message ---------\n\nHello eva@customer.example'],
  ])('in %s', (_, text) => {
    expect(findForward(text)).toBeNull();
  });
});

describe('in HTML the mail begins below the head, by', () => {
  const gmail =
    '<div dir="ltr">For you.<br /><br /><div class="gmail_quote"><div dir="ltr" class="gmail_attr">----------' +
    ' Forwarded message ---------<br />From: <strong dir="auto">Eva Example</strong> <span dir="auto">&lt;<a ' +
    'href="mailto:eva@customer.example">eva@customer.example</a>&gt;</span><br />Date: Mon, 4 Mar 2024<br />Subject: ' +
    'Dark lamp<br />To: &lt;<a href="mailto:s@d.example">s@d.example</a>&gt;<br /></div><br /><br />';
  const outlook =
    '<div>For you.</div><div><hr /><p><b>From:</b> Eva Example &lt;eva@customer.example&gt;<br /><b>Sent:</b> ' +
    'Monday<br /><b>To:</b> Shop<br /><b>Subject:</b> Dark lamp</p></div>';
  const apple =
    '<div>For you.</div><div>Begin forwarded message:</div><blockquote type="cite"><div><b>From: </b>Eva Example ' +
    '&lt;eva@customer.example&gt;</div><div><b>Subject: </b>Dark lamp</div><div><b>Date: </b>4 March 2024</div><br />';
  const rows = [
    ['Subject', 'Dark lamp'],
    ['Date', 'Mon, 4 Mar 2024'],
    ['From', 'Eva Example &lt;eva@customer.example&gt;'],
  ].map(([label, value]) => `<tr><th>${label}: </th><td>${value}</td></tr>`);
  const table = `<table><tbody>${rows.join('')}</tbody></table>`;
  const thunderbird = `<p>For you.</p><div>-------- Forwarded Message --------${table}<br />`;

  test.each(Object.entries({ gmail, outlook, apple, thunderbird }))('%s', (_, head) => {
    expect(forwardedHtmlStart(`${head}<p>My lamp is dark.</p>`)).toBe(head.length);
    expect(forwardedHtmlStart(head)).toBe(head.length);
  });

  test('nothing without a head', () => {
    expect(forwardedHtmlStart('<p>My lamp is dark.</p>')).toBeNull();
  });
});

test('a hostile text costs no time', () => {
  const began = performance.now();
  for (const part of ['From: a@b.c\n', '> From: x\n', '---------- Forwarded message ---------\n', 'Subject: x@y.z,\n'])
    findForward(part.repeat(20_000));
  expect(performance.now() - began).toBeLessThan(3_000);
});
