import { isOfMailbox, type Notification } from './queries.ts';

export type Group = { newest: Notification; ids: string[]; unreadIds: string[] };

/** Groups notifications by their ticket or mailbox, the newest first. One of many tickets stands by itself. */
export function groupsOf(notifications: readonly Notification[]): Group[] {
  const groups = Map.groupBy(notifications, (told) => (isOfMailbox(told) ? told.id : told.referenceId));
  return [...groups.values()].flatMap((some) => {
    const [newest] = some;
    if (newest === undefined) return [];
    const unreadIds = some.filter(({ readAt }) => readAt === null).map(({ id }) => id);
    return [{ newest, ids: some.map(({ id }) => id), unreadIds }];
  });
}
