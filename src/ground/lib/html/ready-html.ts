import { AsyncLocalStorage } from 'node:async_hooks';

/** HTML that a worker thread has made safe, and its text, for the work that goes on now (`http/long-html.ts`). */
export type ReadyHtml = {
  /** By the HTML as it came. */
  clean: ReadonlyMap<string, string>;
  cleanWithMentions: ReadonlyMap<string, string>;
  /** By the clean HTML. */
  text: ReadonlyMap<string, string>;
};

export const readyHtml = new AsyncLocalStorage<ReadyHtml>();
