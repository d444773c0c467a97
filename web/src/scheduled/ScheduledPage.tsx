import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { ScheduledTools } from '../compose/scheduled/ScheduledTools.tsx';
import { soonTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { focusNeighbour, MessageLine, MessageLines } from '../shell/MessageLine.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { Button } from '../ui/Button.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { type Scheduled, scheduledQuery } from './queries.ts';
import styles from './Scheduled.module.css';

/** The answers of the team that leave later, those first that leave first. */
export function ScheduledPage() {
  const { workspace } = usePlace();
  const list = useInfiniteQuery(scheduledQuery(workspace.id));
  const heading = useRef<HTMLHeadingElement>(null);
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <SidePage page="scheduled" title={words('list.scheduled')} lead={words('schedule.hint')} headingRef={heading}>
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {items === undefined && list.error === null && <p>{words('loading')}</p>}
      {items?.length === 0 && <Empty icon="clock">{words('schedule.none')}</Empty>}
      <MessageLines label={words('list.scheduled')} isLoaded={items !== undefined}>
        {items?.map((item) => (
          <ScheduledLine key={item.id} item={item} onGone={() => heading.current?.focus()} />
        ))}
      </MessageLines>
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words('schedule.later')}
        </Button>
      )}
    </SidePage>
  );
}

type LineProps = { item: Scheduled /** Takes the focus when no other line is left. */; onGone: () => void };

function ScheduledLine({ item, onGone }: LineProps) {
  const { workspace } = usePlace();
  const line = useRef<HTMLLIElement>(null);
  const { ticketNumber, subject, authorName, snippet, sendAt, unlessReplied, createdAt } = item;
  const people = [...item.to, ...item.cc, ...item.bcc].join(', ');
  const details = [
    words('undelivered.to', { people }),
    authorName !== null && words('undelivered.by', { person: authorName }),
  ];
  const time = soonTime(new Date(sendAt));
  return (
    <MessageLine
      ref={line}
      icon="clock"
      to={paths.ticket(ticketNumber)}
      title={`#${ticketNumber} ${subject}`}
      time={createdAt}
      details={details}
      snippet={snippet}
    >
      <p>{words(unlessReplied ? 'schedule.atUnlessReplied' : 'schedule.at', { time })}</p>
      {workspace.role !== 'viewer' && (
        <div className={styles.actions}>
          <ScheduledTools
            answer={{ id: item.id, ticketId: item.ticketId, authorId: item.authorUserId }}
            number={ticketNumber}
            onLeave={() => focusNeighbour(line.current, onGone)}
          />
        </div>
      )}
    </MessageLine>
  );
}
