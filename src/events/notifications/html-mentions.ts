import { readId, type UserId } from '../../ground/lib/ids.ts';

/** Mentions in HTML, as `sanitizeHtml` keeps them: `<span class="mention" data-user="<userId>">@Name</span>`. */

const userAttribute = / data-user="([0-9a-f-]{36})"/;

/** @returns the users mentioned (`said`), and all users named, including in quotes and code */
export function usersOfHtml(html: string): { said: Set<UserId>; named: Set<UserId> } {
  const said = new Set<UserId>();
  const named = new Set<UserId>();
  if (!userAttribute.test(html)) return { said, named };
  let passedOverDepth = 0;
  for (const [tag, slash, name] of html.matchAll(/<(\/?)(blockquote|pre|code|samp|span)\b[^<>]*>/g)) {
    if (name !== 'span') {
      passedOverDepth += slash === '' ? 1 : -1;
      continue;
    }
    const userId = readId<UserId>(userAttribute.exec(tag)?.[1] ?? '');
    if (userId === undefined) continue;
    named.add(userId);
    if (passedOverDepth === 0) said.add(userId);
  }
  return { said, named };
}

/** Removes the spans but keeps their text, for readers who are not members. */
export function htmlWithoutMentions(html: string): string {
  if (!userAttribute.test(html)) return html;
  const areMentions: boolean[] = [];
  return html.replace(/<(\/?)span\b[^<>]*>/g, (tag, slash) => {
    if (slash === '/') return areMentions.pop() === true ? '' : tag;
    const isMention = userAttribute.test(tag);
    areMentions.push(isMention);
    return isMention ? '' : tag;
  });
}
