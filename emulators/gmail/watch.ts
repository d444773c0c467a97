/** Watches of mailboxes, and the notifications that they publish. */
import type { VirtualClock } from '../clock.ts';
import { type Answer, Refusal } from './answer.ts';
import { activeWatch, type Mailbox, type OnChange, type Watch } from './mailbox.ts';
import type { Push } from './push.ts';
import { readJson } from './upload.ts';

export type Watching = {
  watch(call: { mailbox: Mailbox; body: Buffer }): Answer;
  stop(mailbox: Mailbox): Answer;
  onChange: OnChange;
};

export type WatchSettings = {
  /** The least time between two notifications of one mailbox. Notifications in between are dropped. */
  pushIntervalMs: number;
  /** The client's own project, the only one whose topics it may name. Undefined allows any. */
  project: string | undefined;
};

const watchLifeMs = 7 * 24 * 3_600_000;

export function openWatching({
  clock,
  push,
  settings,
}: {
  clock: VirtualClock;
  push: Push;
  settings: WatchSettings;
}): Watching {
  const notify = (mailbox: Mailbox): void => {
    const { address, historyId, notifiedAt } = mailbox;
    const now = clock.now().getTime();
    if (notifiedAt !== null && now - notifiedAt < settings.pushIntervalMs) push.noteLimited(address, historyId);
    else {
      mailbox.notifiedAt = now;
      push.publish(address, historyId);
    }
  };
  return {
    watch: ({ mailbox, body }) => {
      const watch = readWatch(body, clock.now().getTime(), settings.project);
      const former = activeWatch(mailbox, clock);
      if (former !== undefined) former.state = 'replaced';
      mailbox.watches.push(watch);
      // A new watch publishes at once, outside the limit.
      push.publish(mailbox.address, mailbox.historyId);
      return { status: 200, body: { historyId: String(mailbox.historyId), expiration: String(watch.expiresAt) } };
    },
    stop: (mailbox) => {
      const watch = activeWatch(mailbox, clock);
      if (watch !== undefined) watch.state = 'stopped';
      return { status: 204 };
    },
    onChange: (mailbox, labelIds) => {
      const watch = activeWatch(mailbox, clock);
      if (watch !== undefined && isWatched(watch, labelIds)) notify(mailbox);
    },
  };
}

function readWatch(body: Buffer, now: number, project: string | undefined): Watch {
  const { topicName, labelIds = [], labelFilterBehavior = 'include' } = readJson(body);
  const topicProject = /^projects\/([^/\s]+)\/topics\/[^/\s]+$/.exec(String(topicName))?.[1];
  if (topicProject === undefined || (project !== undefined && topicProject !== project))
    throw new Refusal(400, `Invalid topicName does not match projects/${project ?? '*'}/topics/*`);
  if (!Array.isArray(labelIds) || !/^(include|exclude)$/i.test(String(labelFilterBehavior)))
    throw new Refusal(400, 'Invalid label filter');
  return {
    topicName: String(topicName),
    labelIds: labelIds.map(String),
    isExclusion: /^exclude$/i.test(String(labelFilterBehavior)),
    madeAt: now,
    expiresAt: now + watchLifeMs,
    state: 'active',
  };
}

function isWatched({ labelIds, isExclusion }: Watch, touched: readonly string[]): boolean {
  if (labelIds.length === 0) return true;
  return touched.some((label) => labelIds.includes(label)) !== isExclusion;
}
