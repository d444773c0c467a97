import { getSchema, type JSONContent } from '@tiptap/core';
import { DOMParser as DocParser } from '@tiptap/pm/model';
import { trustedHtml } from '../../lib/trusted-html.ts';
import { docOfText, type Written, withoutFillers } from './mail-doc.ts';
import { extensionsOf } from './schema.ts';

/** The document of a text. */
export function docOf({ body, bodyHtml }: Written): JSONContent {
  if (bodyHtml === null) return docOfText(body);
  const page = new DOMParser().parseFromString(trustedHtml(bodyHtml), 'text/html');
  const schema = getSchema(extensionsOf(() => undefined));
  return withoutFillers(DocParser.fromSchema(schema).parse(page.body, { preserveWhitespace: true }).toJSON());
}
