import { trustedHtml } from '../../lib/trusted-html.ts';

/** More cells become lines: the editor would be slow, and nobody reads such a table in a mail. */
const cellsMax = 2_000;

/**
 * HTML of office programs and web pages as the editor's schema can hold it: lists of Word become lists, headings bold
 * lines, and tables simple tables.
 * @param takePicture decides on each picture, in place
 */
export function readyHtml(html: string, takePicture: (picture: HTMLImageElement) => void): string {
  // A parser drops cells outside a table.
  const whole = /^\s*<(?:tr|td|th|tbody|thead)[\s>]/i.test(html) ? `<table>${html}</table>` : html;
  const { body } = new DOMParser().parseFromString(trustedHtml(withoutStyles(whole)), 'text/html');
  for (const picture of body.querySelectorAll('img')) takePicture(picture);
  // Copied from an editor of this page.
  if (body.querySelector('[data-pm-slice]') !== null) return body.innerHTML;
  for (const unread of body.querySelectorAll('script, title, template, br.Apple-interchange-newline')) unread.remove();
  listItems(body);
  for (const heading of body.querySelectorAll('h1, h2, h3, h4, h5, h6')) boldLine(heading);
  // Tables inside tables come first.
  for (const table of [...body.querySelectorAll('table')].reverse()) simpleTable(table);
  for (const block of body.querySelectorAll('p, div, td, th')) emptyLine(block);
  return body.innerHTML;
}

/** The page's policy forbids style sheets even in documents that are never shown, and complains of them. */
function withoutStyles(html: string): string {
  const [first, ...parts] = html.split(/<style(?=[\s>])/i);
  return (
    first +
    parts
      .map((part) =>
        part
          .split(/<\/style\s*>/i)
          .slice(1)
          .join(''),
      )
      .join('')
  );
}

type OpenList = { list: HTMLElement; level: number };

/** Word writes the items of a list as paragraphs, each with its level and with its bullet or number as text. */
function listItems(body: HTMLElement): void {
  let open: OpenList[] = [];
  for (const line of body.querySelectorAll('p')) {
    const level = Number(/mso-list:\s*l\d+ level([1-9])/i.exec(line.getAttribute('style') ?? '')?.[1]);
    if (Number.isNaN(level)) continue;
    if (open[0]?.list !== line.previousElementSibling) open = [];
    const marker = [...line.querySelectorAll('span')].find((span) =>
      /mso-list:\s*ignore/i.test(span.getAttribute('style') ?? ''),
    );
    const number = /^\(?(\d{1,4}|[a-z]{1,5})[.)]/i.exec(marker?.textContent.trim() ?? '')?.[1];
    marker?.remove();
    listFor(open, { line, level, number }).append(itemOf(line));
    line.remove();
  }
}

type WordItem = { line: HTMLElement; level: number; number: string | undefined };

/** The list of an item's level. It stands in the last item of the level above. */
function listFor(open: OpenList[], { line, level, number }: WordItem): HTMLElement {
  const name = number === undefined ? 'UL' : 'OL';
  while (open.length > 0 && (open.at(-1)?.level ?? 0) > level) open.pop();
  if (open.at(-1)?.level === level && open.at(-1)?.list.tagName !== name) open.pop();
  const last = open.at(-1);
  if (last?.level === level) return last.list;
  const list = line.ownerDocument.createElement(name);
  if (Number(number) > 1) list.setAttribute('start', String(number));
  if (last === undefined) line.before(list);
  else last.list.lastElementChild?.append(list);
  open.push({ list, level });
  return list;
}

function itemOf(line: HTMLElement): HTMLElement {
  const item = line.ownerDocument.createElement('li');
  item.append(...line.childNodes);
  return item;
}

function boldLine(heading: Element): void {
  const page = heading.ownerDocument;
  const [line, bold] = [page.createElement('p'), page.createElement('b')];
  bold.append(...heading.childNodes);
  line.append(bold);
  heading.replaceWith(line);
}

/** Leaves tables of data alone. Tables that only place things, and tables of one column, become lines. */
function simpleTable(table: HTMLTableElement): void {
  if (table.caption !== null) table.before(lineOf(table.caption));
  table.caption?.remove();
  const rows = [...table.rows].map((row) => [...row.cells]);
  const cells = rows.flat();
  if (cells.some((cell) => cell.querySelector('table') !== null) || rows.every((row) => row.length < 2))
    table.replaceWith(...cells.map(lineOf));
  else if (cells.length > cellsMax) {
    const { ownerDocument } = table;
    const lines = rows.map((row) => {
      const line = ownerDocument.createElement('div');
      line.textContent = row.map((cell) => cell.textContent.trim()).join(' | ');
      return line;
    });
    table.replaceWith(...lines);
  }
}

function lineOf(cell: HTMLElement): HTMLElement {
  const line = cell.ownerDocument.createElement('div');
  line.append(...cell.childNodes);
  return line;
}

/** Programs keep an empty line open with a break or a non-breaking space. The editor needs neither. */
function emptyLine(block: Element): void {
  const isFilled = block.textContent.trim() !== '' || block.querySelector('img, p, div, li, table, br + br') !== null;
  if (!isFilled) block.replaceChildren();
}
