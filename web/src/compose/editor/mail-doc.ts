import type { JSONContent } from '@tiptap/core';
import { mentions } from '../../lib/mentions.ts';

export type Written = { body: string; bodyHtml: string | null };

/** Begins the content id of a pasted picture whose file is not uploaded yet. */
export const pastedPrefix = 'pasted:';

/** A document as mail: its plain text and, if that loses formatting, HTML for mail programs. */
export function writtenOf(doc: JSONContent): Written {
  const { content = [] } = withoutPasted(doc);
  return { body: textOfBlocks(content), bodyHtml: content.every(isPlain) ? null : htmlOf(content) };
}

function withoutPasted({ content, ...node }: JSONContent): JSONContent {
  if (content === undefined) return node;
  const kept = content.filter(({ attrs }) => !String(attrs?.contentId ?? '').startsWith(pastedPrefix));
  return { ...node, content: kept.map(withoutPasted) };
}

/** A document with a paragraph for each line. Mentions in the syntax of the API become mentions. */
export function docOfText(text: string): JSONContent {
  return { type: 'doc', content: text.split('\n').map((line) => paragraphOf(line)) };
}

function paragraphOf(line: string): JSONContent {
  const content = line.split(mentions).flatMap((part, index, parts): JSONContent[] => {
    if (index % 3 === 1) return [{ type: 'mention', attrs: { name: part, userId: parts[index + 1] } }];
    return index % 3 === 2 || part === '' ? [] : [{ type: 'text', text: part }];
  });
  return content.length === 0 ? { type: 'paragraph' } : { type: 'paragraph', content };
}

/** Removes what only HTML needs: breaks that keep empty lines open, and non-breaking spaces. */
export function withoutFillers(node: JSONContent): JSONContent {
  if (node.text !== undefined) return { ...node, text: node.text.replaceAll('\u00a0', ' ') };
  if (node.content === undefined) return node;
  const [only, ...others] = node.content;
  if (node.type === 'paragraph' && others.length === 0 && only?.type === 'hardBreak') return { type: 'paragraph' };
  return { ...node, content: node.content.map(withoutFillers) };
}

/** Whether plain text loses nothing. A link on its own address counts as plain. */
function isPlain({ type, attrs, content = [], marks = [], text }: JSONContent): boolean {
  if (!['paragraph', 'text', 'hardBreak', 'mention'].includes(type ?? '') || attrs?.contentId !== undefined)
    return false;
  return marks.every((mark) => mark.type === 'link' && mark.attrs?.href === text) && content.every(isPlain);
}

function textOfBlocks(blocks: readonly JSONContent[]): string {
  return blocks.map(textOfBlock).join('\n');
}

function textOfBlock({ type, attrs, content = [] }: JSONContent): string {
  switch (type) {
    case 'blockquote':
      return prefixed(textOfBlocks(content), '> ', '> ');
    case 'bulletList':
      return content.map((item) => prefixed(textOfBlocks(item.content ?? []), '- ', '  ')).join('\n');
    case 'orderedList': {
      const start = Number(attrs?.start ?? 1);
      return content
        .map((item, index) => prefixed(textOfBlocks(item.content ?? []), `${start + index}. `, '   '))
        .join('\n');
    }
    case 'table':
      return content.map(textOfRow).join('\n');
    default:
      return content.map(textOfInline).join('');
  }
}

/** Tabs between cells, as spreadsheets copy them. */
function textOfRow({ content = [] }: JSONContent): string {
  return content.map((cell) => textOfBlocks(cell.content ?? []).replace(/(?<!\s)\s*\n\s*/g, ' ')).join('\t');
}

function prefixed(text: string, first: string, further: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : further) + line)
    .join('\n');
}

function textOfInline({ type, attrs, text = '', marks = [] }: JSONContent): string {
  if (type === 'hardBreak') return '\n';
  if (type === 'mention') return `@[${mentionName(attrs)}](user:${attrs?.userId})`;
  if (type === 'picture') return `[${attrs?.alt ?? ''}]`;
  const href = marks.find((mark) => mark.type === 'link')?.attrs?.href;
  const shown = href === undefined || href === text || href === `mailto:${text}` ? text : `${text} <${href}>`;
  return marks.some((mark) => mark.type === 'strike') ? struck(shown) : shown;
}

/** Without a sign, struck words would read as valid. Spaces at the ends stay outside. */
function struck(text: string): string {
  const words = text.trim();
  return words === '' ? text : text.replace(words, () => `~~${words}~~`);
}

function mentionName(attrs: JSONContent['attrs']): string {
  return String(attrs?.name ?? '').replace(/[\]\n]/g, ' ');
}

function htmlOf(blocks: readonly JSONContent[]): string {
  return blocks.map(htmlOfBlock).join('');
}

/** Lines are `div`s, as mail programs write them: readers' programs show gaps between paragraphs. */
function htmlOfBlock({ type, attrs, content = [] }: JSONContent): string {
  switch (type) {
    case 'blockquote':
      return `<blockquote>${htmlOf(content)}</blockquote>`;
    case 'bulletList':
      return `<ul>${content.map(htmlOfItem).join('')}</ul>`;
    case 'orderedList': {
      const start = Number(attrs?.start ?? 1);
      return `<ol${start === 1 ? '' : ` start="${start}"`}>${content.map(htmlOfItem).join('')}</ol>`;
    }
    case 'table':
      return `${tableStart}${content.map(htmlOfRow).join('')}</table>`;
    default:
      return `<div>${htmlOfLine(content) || '<br>'}</div>`;
  }
}

const tableStart = '<table border="1" cellpadding="4" style="border-collapse:collapse">';

function htmlOfRow({ content = [] }: JSONContent): string {
  return `<tr>${content.map(htmlOfCell).join('')}</tr>`;
}

function htmlOfCell({ attrs, content = [] }: JSONContent): string {
  const name = attrs?.isHead === true ? 'th' : 'td';
  const spans = (['colspan', 'rowspan'] as const).filter((span) => Number(attrs?.[span]) > 1);
  const [first] = content;
  const isLine = content.length === 1 && first?.type === 'paragraph';
  const inside = isLine ? htmlOfLine(first.content ?? []) : htmlOf(content);
  return `<${name}${spans.map((span) => ` ${span}="${Number(attrs?.[span])}"`).join('')}>${inside}</${name}>`;
}

function htmlOfItem({ content = [] }: JSONContent): string {
  const [first, ...others] = content;
  const line = first?.type === 'paragraph' ? htmlOfLine(first.content ?? []) : htmlOf(content.slice(0, 1));
  return `<li>${line}${htmlOf(others)}</li>`;
}

/** Keeps spaces at the ends of a line, which HTML would not show. */
function htmlOfLine(content: readonly JSONContent[]): string {
  return content.map(htmlOfInline).join('').replace(/^ | $/g, '&nbsp;');
}

function htmlOfInline({ type, attrs, text = '', marks = [] }: JSONContent): string {
  if (type === 'hardBreak') return '<br>';
  if (type === 'mention')
    return `<span class="mention" data-user="${escaped(String(attrs?.userId))}">@${escaped(mentionName(attrs))}</span>`;
  if (type === 'picture')
    return `<img src="cid:${escaped(String(attrs?.contentId))}" alt="${escaped(String(attrs?.alt ?? ''))}">`;
  return marks.reduce(
    (html, mark) => {
      if (mark.type === 'bold') return `<b>${html}</b>`;
      if (mark.type === 'italic') return `<i>${html}</i>`;
      if (mark.type === 'underline') return `<u>${html}</u>`;
      if (mark.type === 'strike') return `<s>${html}</s>`;
      return mark.type === 'link' ? `<a href="${escaped(String(mark.attrs?.href))}">${html}</a>` : html;
    },
    escaped(text).replace(/ (?= )/g, '&nbsp;'),
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
