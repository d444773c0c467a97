import { queryClient } from '../../api/cache.ts';

/** Tells of each saved draft, so that a tab which shows the same draft does not write over an older text. */
const channel = new BroadcastChannel('kontor.drafts');

// The other tabs read the draft from the service again: messages of tabs may come later than newer answers.
channel.onmessage = ({ data: queryKey }: MessageEvent<readonly string[]>) =>
  void queryClient.invalidateQueries({ queryKey });

/** @param queryKey of the drafts that have changed */
export function tellOtherTabs(queryKey: readonly string[]): void {
  channel.postMessage(queryKey);
}
