/** The mentions in the text of a note. Groups: the name and the user's id. */
export const mentions = /@\[([^\]\n]{1,200})\]\(user:([0-9a-f-]{36})\)/g;

type Author = { type: string };

/**
 * A message's text and the members that it mentions. Only agents mention colleagues: others could pretend to.
 */
export function textsAndMentions(text: string, author: Author): (string | { name: string; id: string })[] {
  if (author.type !== 'agent') return [text];
  // Between the texts stand a name and an id each.
  const parts = text.split(mentions);
  return parts.flatMap((part, at): (string | { name: string; id: string })[] => {
    if (at % 3 === 0) return [part];
    return at % 3 === 1 ? [{ name: part, id: parts[at + 1] ?? '' }] : [];
  });
}

/** Writes each mention as a name. */
export function withNames(text: string, author: Author): string {
  return textsAndMentions(text, author)
    .map((part) => (typeof part === 'string' ? part : `@${part.name}`))
    .join('');
}
