import { Fragment, type ResolvedPos, Slice } from '@tiptap/pm/model';

/** Pasted plain text, with a paragraph for each line. Empty lines stay; the editor itself would drop them. */
export function linesOf(text: string, at: ResolvedPos): Slice {
  const { schema } = at.doc.type;
  const lines = text.split(/\r\n?|\n/).map((line) => {
    return schema.node('paragraph', null, line === '' ? [] : [schema.text(line, at.marks())]);
  });
  return new Slice(Fragment.from(lines), 1, 1);
}
