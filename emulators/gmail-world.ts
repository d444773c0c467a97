import type { VirtualClock } from './clock.ts';
import type { Faults, Operation } from './gmail-faults.ts';
import type { Mailbox, OnChange } from './gmail-mailbox.ts';
import type { OAuth } from './gmail-oauth.ts';
import type { PostOffice } from './gmail-post.ts';
import type { Push } from './gmail-push.ts';
import type { PushSettings } from './gmail-push-message.ts';
import type { PushTokens } from './gmail-push-token.ts';
import type { Watching, WatchSettings } from './gmail-watch.ts';

export type Settings = WatchSettings &
  PushSettings & {
    /** Google's own default for new projects is 6,000; null: no limit. */
    unitsPerMinute: number | null;
    /** As Gmail does with mail that is sent through the API. */
    rewritesMessageIds: boolean;
    /** History then names mails by their ids alone, as it often does. */
    hidesHistoryLabels: boolean;
  };

/** A request that came as far as to be somebody's; `status` is null while there is no answer. */
export type RequestEntry = { operation: Operation; address: string | null; status: number | null; at: string };

/** Everything that one Gmail emulator holds. */
export type World = {
  seed: number;
  clock: VirtualClock;
  /** By address, also those of aliases. */
  mailboxes: Map<string, Mailbox>;
  oauth: OAuth;
  post: PostOffice;
  watching: Watching;
  onChange: OnChange;
  push: Push;
  tokens: PushTokens;
  faults: Faults;
  requests: RequestEntry[];
  settings: Settings;
};

/** One call of the API that may be made; `ids` are what the path names. */
export type Call = { mailbox: Mailbox; query: URLSearchParams; ids: string[]; contentType: string; body: Buffer };
