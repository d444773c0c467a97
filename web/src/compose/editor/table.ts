import { Node } from '@tiptap/core';

/** Tables come by pasting. They have cells, rows and spans; looks are left to the reader's program. */
export const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableRow+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: () => ['table', ['tbody', 0]],
});

export const TableRow = Node.create({
  name: 'tableRow',
  content: 'tableCell+',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: () => ['tr', 0],
});

export const TableCell = Node.create({
  name: 'tableCell',
  content: '(paragraph | bulletList | orderedList | blockquote)+',
  isolating: true,
  addAttributes: () => ({ isHead: { default: false }, colspan: { default: 1 }, rowspan: { default: 1 } }),
  parseHTML: () => [
    {
      tag: 'td, th',
      getAttrs: (cell) => ({
        isHead: cell.tagName === 'TH',
        colspan: (cell as HTMLTableCellElement).colSpan,
        rowspan: (cell as HTMLTableCellElement).rowSpan,
      }),
    },
  ],
  renderHTML: ({ node: { attrs } }) => [
    attrs.isHead ? 'th' : 'td',
    {
      ...(attrs.colspan > 1 && { colspan: attrs.colspan }),
      ...(attrs.rowspan > 1 && { rowspan: attrs.rowspan }),
    },
    0,
  ],
});
