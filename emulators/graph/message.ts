/** A message as the API shows it. */
import { headersOf, type MailAddress, type MailContent, type MailHead, readContent } from '../read-mail.ts';
import type { Call } from './http.ts';
import { headOf, withFiles } from './mime.ts';
import type { Item } from './world.ts';

type Shown = { call: Call; item: Item; head: MailHead; content: MailContent | undefined };
type Property = (shown: Shown) => unknown;

const recipient = ({ name, email }: MailAddress) => ({ emailAddress: { name: name ?? email, address: email } });
const recipients = (emails: string[]) => emails.map((email) => recipient({ name: null, email }));
const sender: Property = ({ head }) => (head.from === null ? undefined : recipient(head.from));
const receivedAt: Property = ({ item }) => secondsText(item.receivedAt);

/** In the order of the documentation. */
const properties: Record<string, Property> = {
  id: ({ call, item }) => (call.isImmutable ? item.immutableId : item.id),
  createdDateTime: receivedAt,
  lastModifiedDateTime: receivedAt,
  changeKey: ({ item }) => `CQAAABYAAAB${item.changeKey}`,
  categories: () => [],
  receivedDateTime: receivedAt,
  sentDateTime: receivedAt,
  hasAttachments: ({ item, content }) =>
    item.files.some(({ isInline }) => !isInline) ||
    (content?.attachments.some(({ contentId }) => contentId === undefined) ?? false),
  internetMessageId: ({ item }) => item.internetMessageId,
  subject: ({ head }) => head.subject,
  bodyPreview: ({ content }) => content?.text.slice(0, 255) ?? '',
  importance: () => 'normal',
  parentFolderId: ({ call, item }) => (item.folder === null ? null : call.mailbox.folders[item.folder].id),
  conversationId: ({ item }) => item.conversationId,
  isRead: ({ item }) => item.isRead,
  isDraft: ({ item }) => item.isDraft,
  webLink: ({ item }) => `https://outlook.office365.com/owa/?ItemID=${encodeURIComponent(item.id)}`,
  body: ({ call, content }) => bodyOf(call, content),
  sender,
  from: sender,
  toRecipients: ({ head }) => recipients(head.to),
  ccRecipients: ({ head }) => recipients(head.cc),
  bccRecipients: ({ head }) => recipients(head.bcc),
  replyTo: ({ head }) => head.replyTo.map(recipient),
  flag: () => ({ flagStatus: 'notFlagged' }),
};
/** Shown only on request. */
const rareProperties: Record<string, Property> = {
  // Graph shows no headers of sent mail.
  internetMessageHeaders: ({ item }) => (item.folder === 'sentitems' ? undefined : headersOf(item.raw)),
  singleValueExtendedProperties: ({ item }) => [...item.properties].map(([id, value]) => ({ id, value })),
};
const ofContent = new Set(['hasAttachments', 'bodyPreview', 'body']);

/** @param select names of the properties; empty: the usual properties */
export async function showMessage(call: Call, item: Item, select: readonly string[] = []): Promise<object> {
  const names = select.length === 0 ? Object.keys(properties) : ['id', ...select];
  const content = names.some((name) => ofContent.has(name)) ? await readContent(item.raw) : undefined;
  const shown: Shown = { call, item, head: headOf(item.raw), content };
  const members = names.flatMap((name) => {
    const property = properties[name] ?? rareProperties[name];
    const value = property?.(shown);
    return value === undefined ? [] : [[name, value]];
  });
  return { '@odata.etag': `W/"CQAAABYAAAB${item.changeKey}"`, ...Object.fromEntries(members) };
}

/** The names in `$select`, and `singleValueExtendedProperties` if `$expand` asks for it. */
export function selectOf(query: URLSearchParams): string[] {
  const selected = (query.get('$select') ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const isExpanded = /^singleValueExtendedProperties\(\$filter=id eq '[^']+'\)$/.test(query.get('$expand') ?? '');
  return isExpanded ? [...selected, 'singleValueExtendedProperties'] : selected;
}

/** The raw mail with the files added to its draft. */
export function wholeOf(item: Item): Buffer {
  return withFiles(item.raw, item.files);
}

function bodyOf(call: Call, { text, html }: MailContent = { text: '', html: null, attachments: [] }): object {
  const wantsText = /outlook\.body-content-type="?text"?/i.test(String(call.headers.prefer ?? ''));
  if (html === null || wantsText) return { contentType: 'text', content: text };
  const isUnsafeWelcome = /outlook\.allow-unsafe-html/i.test(String(call.headers.prefer ?? ''));
  return { contentType: 'html', content: isUnsafeWelcome ? html : html.replace(/<script[\s\S]*?<\/script>/gi, '') };
}

function secondsText(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}
