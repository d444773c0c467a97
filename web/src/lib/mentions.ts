/** The mentions in the text of a note. Groups: the name and the user's id. */
export const mentions = /@\[([^\]\n]{1,200})\]\(user:([0-9a-f-]{36})\)/g;

/** Writes each mention as a name. */
export function withNames(text: string): string {
  return text.replace(mentions, '@$1');
}
