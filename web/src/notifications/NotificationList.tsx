import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { fullTime, shortTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { type Group, groupsOf } from './groups.ts';
import styles from './NotificationPanel.module.css';
import { addressOf, notificationsQuery, readAllNotifications, readNotifications } from './queries.ts';

/** The person's notifications by ticket, the newest first. */
export function NotificationList({ onDone }: { onDone: () => void }) {
  const { workspace } = usePlace();
  const [unreadOnly, setUnreadOnly] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    notificationsQuery(workspace.id, unreadOnly),
  );
  const readAll = useMutation({ mutationFn: () => readAllNotifications(workspace.id) });
  const groups = groupsOf(data?.pages.flatMap(({ items }) => items) ?? []);
  return (
    <>
      <div className={styles.head}>
        <h2>{words('notifications.title')}</h2>
        <Button look="quiet" aria-pressed={unreadOnly} onClick={() => setUnreadOnly(!unreadOnly)}>
          {words('notifications.unreadOnly')}
        </Button>
        <Button look="quiet" autoFocus disabled={readAll.isPending} onClick={() => readAll.mutate()}>
          {words('notifications.readAll')}
        </Button>
      </div>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {data !== undefined && groups.length === 0 && <p className={styles.none}>{words('notifications.none')}</p>}
      <ul>
        {groups.map((group) => (
          <Entry key={group.newest.id} group={group} onDone={onDone} />
        ))}
      </ul>
      {hasNextPage && (
        <Button look="quiet" onClick={() => void fetchNextPage()}>
          {words('notifications.more')}
        </Button>
      )}
    </>
  );
}

/** The notifications of one ticket or mailbox. Opening the entry marks them as read. */
function Entry({ group: { newest, ids, unreadIds }, onDone }: { group: Group; onDone: () => void }) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const open = useMutation({
    mutationFn: async () => {
      void readNotifications(workspace.id, unreadIds);
      return addressOf(workspace.id, newest);
    },
    onSuccess: (address) => {
      onDone();
      navigate(address);
    },
  });
  return (
    <li>
      <button type="button" className={styles.entry} data-unread={unreadIds.length > 0} onClick={() => open.mutate()}>
        <span className={styles.text} dir="auto">
          {unreadIds.length > 0 && <span className="visually-hidden">{words('row.unread')} </span>}
          {newest.title}
          {ids.length > 1 && (
            <span className={styles.more}> {words('notifications.older', { count: ids.length - 1 })}</span>
          )}
        </span>
        <time dateTime={newest.createdAt} title={fullTime(newest.createdAt)}>
          {shortTime(newest.createdAt)}
        </time>
      </button>
      {open.error !== null && <Fault error={open.error} />}
    </li>
  );
}
