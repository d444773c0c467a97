import { expect, test } from 'vitest';
import { deskClues, type MailWithTokens, subjectToken, zendeskToken } from './desk-tokens.ts';

const cluesOf = (parts: Partial<MailWithTokens>) =>
  deskClues({ ids: [], recipients: [], subject: 'Printer', text: 'It burns.', ...parts }).map(
    ({ source, place, token }) => `${source} ${place} ${token}`,
  );

test.each<[string, Partial<MailWithTokens>, string[]]>([
  ['a mail without tokens', { ids: ['CAGBeX80qo1o@mail.gmail.com'], recipients: ['support@acme.example'] }, []],
  ['a word in brackets', { subject: '[Urgent] printer', text: 'See [ABC-123] and [abcdef-1234].' }, []],
  ['FreeScout', { ids: ['FS_reply-2-1f3870be274f6c49@Acme.example'] }, ['freescout id acme.example/2']],
  [
    'an earlier FreeScout',
    { ids: ['reply-118926-79563c2990b98339ddf3b46c966de77f@acme.example'] },
    ['freescout id acme.example/118926'],
  ],
  ['an automatic answer of FreeScout', { ids: ['FS_autoreply-7-1f3870be274f6c49@a.b'] }, ['freescout id a.b/7']],
  ['no FreeScout', { ids: ['reply-2@acme.example', 'FS_reply-x-1f3870be274f6c49@acme.example'] }, []],
  [
    'the hidden id of FreeScout',
    { text: `> {#FS:${Buffer.from('FS_reply-9-1f3870be274f6c49@acme.example').toString('base64')}#}` },
    ['freescout text acme.example/9'],
  ],
  ['Zendesk, by text', { text: 'Thanks\n> [1G7EOR-0Q2J]' }, ['zendesk text 1g7eor0q2j']],
  ['Zendesk, by address', { recipients: ['support+id1G7EOR-0Q2J@acme.zendesk.com'] }, ['zendesk address 1g7eor0q2j']],
  [
    'Zendesk, by id',
    { ids: ['M7W4K4OZLY_5e41e701f984_4bbecf1c70194_sprut@zendesk.com', 'M7W4K4OZLY@zendesk.com'] },
    ['zendesk id m7w4k4ozly', 'zendesk id m7w4k4ozly'],
  ],
  [
    'Zammad',
    { subject: '[Ticket#31001] Printer', ids: ['20260302.7.uuid@help.acme.example'] },
    [
      'zammad subject help.acme.example/ticket#31001',
      'osticket subject help.acme.example/ticket#31001',
      'zammad subject ticket#31001',
      'osticket subject ticket#31001',
    ],
  ],
  ['osTicket', { subject: 'Printer [#123456]' }, ['zammad subject #123456', 'osticket subject #123456']],
  [
    'an answer',
    { subject: 'AW: Re:  Broken printer' },
    [`help-scout reply ${subjectToken('Broken printer')}`, `front reply ${subjectToken('BROKEN  printer')}`],
  ],
  ['an answer that says nothing', { subject: 'Re: help' }, []],
])('%s', (_what, parts, expected) => {
  expect(cluesOf(parts)).toEqual(expected);
});

test('a mail full of tokens has few', () => {
  const many = (each: (index: number) => string) => Array.from({ length: 5_000 }, (_, index) => each(index));
  const clues = cluesOf({
    ids: many((index) => `x@${index}.example`),
    recipients: many((index) => `support+id1G7EOR-${1_000 + index}@acme.zendesk.com`),
    subject: many((index) => `[#${1_000 + index}]`).join(' '),
    text: many((index) => `[1G7EOR-${1_000 + index}]`).join(' '),
  });
  expect(clues.length).toBeLessThan(250);
});

test.each([
  ['1G7EOR-0Q2J', '1g7eor0q2j'],
  ['M7W4K4OZLY', 'm7w4k4ozly'],
  ['1G7EOR-0Q2J; drop', undefined],
])('the encoded id %s', (id, token) => {
  expect(zendeskToken(id)).toBe(token);
});
