import { type Extensions, mergeAttributes, Node } from '@tiptap/core';
import { Blockquote } from '@tiptap/extension-blockquote';
import { Bold } from '@tiptap/extension-bold';
import { Document } from '@tiptap/extension-document';
import { HardBreak } from '@tiptap/extension-hard-break';
import { Italic } from '@tiptap/extension-italic';
import { Link } from '@tiptap/extension-link';
import { BulletList, ListItem, ListKeymap, OrderedList } from '@tiptap/extension-list';
import { Paragraph } from '@tiptap/extension-paragraph';
import { Strike } from '@tiptap/extension-strike';
import { Text } from '@tiptap/extension-text';
import { Underline } from '@tiptap/extension-underline';
import { Dropcursor, Gapcursor, TrailingNode, UndoRedo } from '@tiptap/extensions';
import { Table, TableCell, TableRow } from './table.ts';

/** A picture. The editor shows the address of its file, and the mail refers to its content id. */
const Picture = Node.create<{ addressOf: (contentId: string) => string | undefined }>({
  name: 'picture',
  group: 'inline',
  inline: true,
  draggable: true,
  addOptions: () => ({ addressOf: () => undefined }),
  addAttributes: () => ({ contentId: { default: '' }, alt: { default: '' } }),
  parseHTML: () => [
    {
      tag: 'img',
      // Pictures from other pages are left out: every reader of the mail would load them from there.
      getAttrs: (image) => {
        const contentId = image.dataset.contentId ?? /^cid:(.+)$/.exec(image.getAttribute('src') ?? '')?.[1];
        return contentId === undefined ? false : { contentId, alt: image.getAttribute('alt') ?? '' };
      },
    },
  ],
  renderHTML({ node }) {
    const { contentId, alt } = node.attrs;
    return ['img', { 'data-content-id': contentId, src: this.options.addressOf(contentId) ?? '', alt }];
  },
});

const Mention = Node.create({
  name: 'mention',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ userId: { default: '' }, name: { default: '' } }),
  parseHTML: () => [
    {
      tag: 'span.mention[data-user]',
      getAttrs: (span) => ({ userId: span.dataset.user, name: (span.textContent ?? '').replace(/^@/, '') }),
    },
  ],
  renderHTML: ({ node, HTMLAttributes: _ }) => [
    'span',
    mergeAttributes({ class: 'mention', 'data-user': node.attrs.userId }),
    `@${node.attrs.name}`,
  ],
});

/** Without the default ⌘⏎, which sends the text. */
const LineBreak = HardBreak.extend({
  addKeyboardShortcuts() {
    return { 'Shift-Enter': () => this.editor.commands.setHardBreak() };
  },
});

/** Its key is in `RichText`: here it would also take ⌘⇧U, which attaches files. */
const Underlined = Underline.extend({ addKeyboardShortcuts: () => ({}) });

const Quote = Blockquote.extend({
  addKeyboardShortcuts() {
    return { 'Mod-Shift-9': () => this.editor.commands.toggleBlockquote() };
  },
});

const blocks = 'address, article, blockquote, div, dl, h1, h2, h3, h4, h5, h6, li, p, pre, section, table';

/** A line: a paragraph, or a `div` of mail programs. A `div` around other blocks is no line of its own. */
const Line = Paragraph.extend({
  parseHTML: () => [
    { tag: 'p' },
    { tag: 'div', getAttrs: (div) => (div.querySelector(blocks) === null ? null : false) },
  ],
});

/** The content of an answer, limited to what every mail program shows. */
export function extensionsOf(addressOf: (contentId: string) => string | undefined): Extensions {
  return [
    Document,
    Line,
    Text,
    Bold,
    Italic,
    Underlined,
    Strike,
    BulletList,
    OrderedList,
    ListItem,
    ListKeymap,
    Quote,
    LineBreak,
    Link.configure({
      openOnClick: false,
      linkOnPaste: true,
      protocols: ['mailto', 'tel'],
      isAllowedUri: (uri) => /^(?:https?:\/\/|mailto:|tel:)/i.test(uri),
    }),
    Picture.configure({ addressOf }),
    Mention,
    Table,
    TableRow,
    TableCell,
    // Keeps a line below a table, where the text goes on.
    TrailingNode.configure({ notAfter: ['paragraph', 'bulletList', 'orderedList', 'blockquote'] }),
    UndoRedo,
    Dropcursor,
    Gapcursor,
  ];
}
