import type { VirtualClock } from '../clock.ts';
import type { Faults, Operation } from './faults.ts';
import type { Mailbox, OnChange } from './mailbox.ts';
import type { OAuth } from './oauth.ts';
import type { PostOffice } from './post.ts';
import type { Push } from './push.ts';
import type { PushSettings } from './push-message.ts';
import type { PushTokens } from './push-token.ts';
import type { Watching, WatchSettings } from './watch.ts';

export type Settings = WatchSettings &
  PushSettings & {
    /** Google's default for new projects is 6,000. Null: no limit. */
    unitsPerMinute: number | null;
    /** As Gmail does with mail sent through the API. */
    rewritesMessageIds: boolean;
    /** History then names mails by id alone, as Gmail often does. */
    hidesHistoryLabels: boolean;
  };

/** A request with a known mailbox. `status` is null until the answer. */
export type RequestEntry = { operation: Operation; address: string | null; status: number | null; at: string };

/** The state of one Gmail emulator. */
export type World = {
  seed: number;
  clock: VirtualClock;
  /** By address, alias addresses included. */
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

/** A permitted call of the API. `ids` are those in the path. */
export type Call = { mailbox: Mailbox; query: URLSearchParams; ids: string[]; contentType: string; body: Buffer };
