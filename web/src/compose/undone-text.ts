import type { Message } from '../api/client.ts';
import type { DraftContent } from './draft/draft-content.ts';

type Elsewhere = { drafts: readonly DraftContent[]; messages: readonly Message[] };

/** Whether the text of an undone answer is in no draft and in no message that its writer sent since. */
export function isTextMissing(undone: Message, { drafts, messages }: Elsewhere): boolean {
  const text = textOf(undone);
  const sent = messages.filter(
    ({ author, delivery }) => author.userId === undone.author.userId && delivery?.status !== 'cancelled',
  );
  return ![...drafts.map(({ body }) => plain(body)), ...sent.map(textOf)].some((other) => other.includes(text));
}

function textOf({ body, replyText }: Message): string {
  return plain(replyText ?? body);
}

/** Ignores spaces and line ends, which change when HTML becomes text. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
