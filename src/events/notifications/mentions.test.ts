import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { newId } from '../../ground/lib/ids.ts';
import { htmlWithoutMentions } from './html-mentions.ts';
import { mentionsIn, textWithoutMentions } from './mentions.ts';

const [ann, ben] = [newId(), newId()];
const [atAnn, atBen] = [`@[Ann](user:${ann})`, `@[Ben B.](user:${ben.toUpperCase()})`];

const span = (id: string, name: string) => `<span class="mention" data-user="${id}">@${name}</span>`;

test.each([
  ['each once, in order', `${atBen} ${atAnn} ${atBen}`, [ben, ann], []],
  ['not in a quoted line', `> ${atAnn} wrote\n>> ${atBen}\n${atBen}`, [ben], [ann]],
  ['not in a fenced block', `\`\`\`js\n${atAnn}\n\`\`\`\n${atBen}`, [ben], [ann]],
  ['not in a block of tildes, nor behind a fence that is too short', `~~~~\n${atAnn}\n~~~\n${atBen}`, [], [ann, ben]],
  ['not in a block that is never closed', `a\n\`\`\`\n${atAnn}`, [], [ann]],
  ['not in code within a line', `see \`${atAnn}\` and \`\` a\`${atBen} \`\``, [], [ann, ben]],
  ['not in a fence that is closed in its line', `\`\`\`${atAnn}\`\`\`\n${atBen}`, [ben], [ann]],
  ['behind a lone backtick', `a \` b ${atAnn}\n\` ${atBen}`, [ann, ben], []],
  ['between runs of unequal length', `\`\`${atAnn}\``, [ann], []],
  ['also where they are named in a quote as well', `> ${atAnn}\n${atAnn}`, [ann], []],
  ['an arrow is no quote', `a > ${atAnn}`, [ann], []],
  [
    'not in a fenced block of a form, whose lines end with CRLF',
    `\`\`\`\r\n${atAnn}\r\n\`\`\`\r\n${atBen}`,
    [ben],
    [ann],
  ],
  ['also where a name holds brackets', `@[Ann [Sales]](user:${ann})`, [ann], []],
  ['not behind a link', `@[a](https://example.org) [b](user:${ann})`, [], []],
  ['what is no mention names nobody', `@[Ann](user:1) @[](user:${ann}) @Ann user:${ann}`, [], []],
])('mentions: %s', (_name, text, mentioned, passedOver) => {
  expect(mentionsIn(text, null)).toEqual({ mentioned, passedOver });
});

test('at most a hundred users are mentioned, and the others passed over', () => {
  const ids = Array.from({ length: 130 }, newId);
  expect(mentionsIn(ids.map((id) => `@[x](user:${id})`).join(' '), null)).toEqual({
    mentioned: ids.slice(0, 100),
    passedOver: ids.slice(100),
  });
});

test('in any text every named user is either mentioned or passed over', () => {
  const piece = fc.constantFrom('`', '``', '```', '~~~', '\n', '> ', ' ', 'a', atAnn, atBen);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const { mentioned, passedOver } = mentionsIn(text, null);
      const named = [...(text.includes(atAnn) ? [ann] : []), ...(text.includes(atBen) ? [ben] : [])];
      expect([...mentioned, ...passedOver].toSorted()).toEqual(named.toSorted());
    }),
  );
});

test.each([
  ['spans', `<p>${span(ann, 'Ann')} and ${span(ben.toUpperCase(), 'Ben')} and ${span(ann, 'Ann')}</p>`, [ann, ben], []],
  ['not in quotes', `<blockquote><p>${span(ann, 'Ann')}</p></blockquote>${span(ben, 'Ben')}`, [ben], [ann]],
  ['not in code', `<pre>${span(ann, 'Ann')}</pre><code>${span(ben, 'Ben')}</code>`, [], [ann, ben]],
  ['no span without an account', '<span class="mention" data-user="7">x</span><span class="mention">y</span>', [], []],
])('HTML mentions: %s', (_name, html, mentioned, passedOver) => {
  expect(mentionsIn('', sanitizeHtml(html, { keepsMentions: true }))).toEqual({ mentioned, passedOver });
});

test('text and HTML mention each person once', () => {
  expect(mentionsIn(`> ${atBen}\n${atAnn}`, `${span(ben, 'Ben')}${span(ann, 'Ann')}`)).toEqual({
    mentioned: [ann, ben],
    passedOver: [],
  });
});

test('recipients of a mail see only names', () => {
  expect(textWithoutMentions(`Hello ${atAnn}, ask ${atBen}! @[x](y)`)).toBe('Hello @Ann, ask @Ben B.! @[x](y)');
  const html = `<span style="color:red">a<span class="mention" data-user="${ann}">@<span>Ann</span></span></span> b`;
  expect(htmlWithoutMentions(html)).toBe('<span style="color:red">a@<span>Ann</span></span> b');
  expect(htmlWithoutMentions('<span>a</span>')).toBe('<span>a</span>');
});
