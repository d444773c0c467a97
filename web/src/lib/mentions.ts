/** The mentions in the text of a note. Groups: the name and the user's id. */
export const mentions = /@\[([^\]\n]{1,200})\]\(user:([0-9a-f-]{36})\)/g;

type Author = { type: string };

/**
 * A message's text and the names that it mentions, in turns. Only agents mention colleagues: others could pretend to.
 */
export function textsAndNames(text: string, author: Author): string[] {
  // Between the texts stand a name and an id each.
  return author.type === 'agent' ? text.split(mentions).filter((_, index) => index % 3 < 2) : [text];
}

/** Writes each mention as a name. */
export function withNames(text: string, author: Author): string {
  return textsAndNames(text, author)
    .map((part, index) => (index % 2 === 0 ? part : `@${part}`))
    .join('');
}
