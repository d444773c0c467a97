import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { usePlace } from '../session/Guard.tsx';
import { MessageLines } from '../shell/MessageLine.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { Button } from '../ui/Button.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { undeliveredQuery } from './queries.ts';
import { UndeliveredLine } from './UndeliveredLine.tsx';

/** The answers that did not reach their recipients, each with its reason and ways to settle it. */
export function UndeliveredPage() {
  const { workspace } = usePlace();
  const list = useInfiniteQuery(undeliveredQuery(workspace.id));
  const heading = useRef<HTMLHeadingElement>(null);
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <SidePage
      page="undelivered"
      title={words('list.undelivered')}
      lead={words('undelivered.hint')}
      headingRef={heading}
    >
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {items === undefined && list.error === null && <p>{words('loading')}</p>}
      {items?.length === 0 && <Empty icon="checks">{words('undelivered.none')}</Empty>}
      <MessageLines label={words('list.undelivered')} isLoaded={items !== undefined}>
        {items?.map((item) => (
          <UndeliveredLine key={item.id} item={item} onGone={() => heading.current?.focus()} />
        ))}
      </MessageLines>
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words('undelivered.older')}
        </Button>
      )}
    </SidePage>
  );
}
