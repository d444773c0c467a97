import { AsyncLocalStorage } from 'node:async_hooks';
import { htmlToText } from '@kontor/mail/html/html-text.ts';

/** HTML that a worker thread has made safe, and its text, for the work that goes on now (`http/long-html.ts`). */
export type ReadyHtml = {
  /** By the HTML as it came. */
  clean: ReadonlyMap<string, string>;
  cleanWithMentions: ReadonlyMap<string, string>;
  /** By the clean HTML. */
  text: ReadonlyMap<string, string>;
};

export const readyHtml = new AsyncLocalStorage<ReadyHtml>();

/** The text of clean HTML: what a thread has made of it, or else what `htmlToText` makes now. */
export function textOfHtml(clean: string): string {
  return readyHtml.getStore()?.text.get(clean) ?? htmlToText(clean);
}
