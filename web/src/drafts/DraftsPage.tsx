import { useInfiniteQuery } from '@tanstack/react-query';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { MessageLine, MessageLines } from '../shell/MessageLine.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { Button } from '../ui/Button.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { type ListedDraft, ownDraftsQuery } from './queries.ts';

/** The texts that the member has begun to write and not sent. Each text goes on in its ticket. */
export function DraftsPage() {
  const { workspace } = usePlace();
  const list = useInfiniteQuery(ownDraftsQuery(workspace.id));
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <SidePage page="drafts" title={words('list.drafts')}>
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {items === undefined && list.error === null && <p>{words('loading')}</p>}
      {items?.length === 0 && <Empty icon="draft">{words('drafts.none')}</Empty>}
      <MessageLines label={words('list.drafts')}>
        {items?.map((draft) => (
          <DraftLine key={draft.id} draft={draft} />
        ))}
      </MessageLines>
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words('drafts.older')}
        </Button>
      )}
    </SidePage>
  );
}

const icons = { answer: 'reply', note: 'lock', ticket: 'compose' } as const;

function DraftLine({ draft }: { draft: ListedDraft }) {
  const { kind, ticket, subject, to, body, updatedAt } = draft;
  return (
    <MessageLine
      icon={icons[kind]}
      look={kind === 'note' ? 'note' : undefined}
      to={ticket === null ? paths.newTicket : paths.ticket(ticket.ticketNumber)}
      title={ticket === null ? subject || words('new.title') : `#${ticket.ticketNumber} ${ticket.subject}`}
      time={updatedAt}
      details={[words(`drafts.${kind}`), to.length > 0 && words('drafts.to', { people: to.join(', ') })]}
      snippet={body}
    />
  );
}
