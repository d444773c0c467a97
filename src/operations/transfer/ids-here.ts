/** Ids of people in an import who were here already under another id, and that id. */
export type IdsHere = Map<string, string>;

/** Fields with text of people, in which nothing is replaced. */
const texts = new Set(['subject', 'body', 'replyText', 'name', 'authorName', 'note']);

/** A copy of the record in which the ids of this workspace replace the ids of the export. */
export function withIdsHere<Content>(content: Content, ids: IdsHere): Content {
  return ids.size === 0 ? content : (replaced(content, ids) as Content);
}

function replaced(value: unknown, ids: IdsHere): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (texts.has(key)) return [key, each];
      if (key === 'bodyHtml' && typeof each === 'string') return [key, withMentionsHere(each, ids)];
      return [key, replaced(each, ids)];
    }),
  );
}

const mention = /(data-user=")([0-9a-f-]{36})(")/g;

function withMentionsHere(html: string, ids: IdsHere): string {
  return html.replace(mention, (_, before: string, id: string, after: string) => before + (ids.get(id) ?? id) + after);
}
