import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { discardDraft } from '../compose/draft/discard.ts';
import { ticketHome } from '../compose/draft/draft-store.ts';
import { keepNewTicketDraft, newTicketHome } from '../compose/new-ticket/new-ticket-draft.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { focusNeighbour, MessageLine, MessageLines } from '../shell/MessageLine.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { copyText } from '../ticket/copy-text.ts';
import { Button, IconButton } from '../ui/Button.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import styles from './Drafts.module.css';
import { deleteDraft, discardOlder, dropListed, type ListedDraft, ownDraftsQuery } from './queries.ts';

/** The texts that the member has begun to write and not sent. Each text goes on in its ticket. */
export function DraftsPage() {
  const { workspace } = usePlace();
  const list = useInfiniteQuery(ownDraftsQuery(workspace.id));
  const items = list.data?.pages.flatMap((page) => page.items);
  const heading = useRef<HTMLHeadingElement>(null);
  const newest = items?.find(({ kind }) => kind === 'ticket');
  return (
    <SidePage page="drafts" title={words('list.drafts')} headingRef={heading}>
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {items === undefined && list.error === null && <p>{words('loading')}</p>}
      {items?.length === 0 && <Empty icon="draft">{words('drafts.none')}</Empty>}
      <MessageLines label={words('list.drafts')} isLoaded={items !== undefined}>
        {items?.map((draft) => (
          <DraftLine
            key={draft.id}
            draft={draft}
            isOlder={draft.kind === 'ticket' && draft !== newest}
            onGone={() => heading.current?.focus()}
          />
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

type LineProps = {
  draft: ListedDraft;
  /** Another draft of a new ticket is newer. */
  isOlder: boolean;
  /** Takes the focus when no other line is left. */
  onGone: () => void;
};

function DraftLine({ draft, isOlder, onGone }: LineProps) {
  const { workspace, userId } = usePlace();
  const line = useRef<HTMLLIElement>(null);
  const { kind, ticket, subject, to, body, updatedAt } = draft;
  const [, navigate] = useLocation();
  const place = placeOf(draft, isOlder);
  const ofTicket = ticket === null ? words('drafts.hidden') : `#${ticket.ticketNumber} ${ticket.subject}`;
  const title = kind === 'ticket' ? subject || words('new.title') : ofTicket;
  const discard = async () => {
    if (place === undefined && !window.confirm(words('drafts.discardForGood'))) return;
    const owner = { workspaceId: workspace.id, userId };
    const isDiscarded = isOlder ? await discardOlder(workspace.id, draft) : await discardListed(owner, draft);
    // Another text stands in its place, and its writer chooses there.
    if (!isDiscarded && place !== undefined) return navigate(place);
    focusNeighbour(line.current, onGone);
    dropListed(workspace.id, draft.id);
  };
  return (
    <MessageLine
      ref={line}
      icon={icons[kind]}
      look={kind === 'note' ? 'note' : undefined}
      to={place}
      title={title}
      time={updatedAt}
      details={[words(`drafts.${kind}`), to.length > 0 && words('drafts.to', { people: to.join(', ') })]}
      snippet={body}
    >
      <div className={styles.tools}>
        <IconButton
          icon="copy"
          title={words('drafts.copy')}
          aria-label={words('drafts.copyNamed', { title })}
          onClick={() => void copyText(body)}
        />
        <IconButton
          icon="trash"
          title={words('command.discard')}
          aria-label={words('drafts.discardNamed', { title })}
          onClick={() => void discard()}
        />
      </div>
    </MessageLine>
  );
}

/** Where the text goes on: nowhere, if its ticket is hidden from the writer by now. */
function placeOf({ id, kind, ticket }: ListedDraft, isOlder: boolean): string | undefined {
  if (kind === 'ticket') return isOlder ? paths.olderDraft(id) : paths.newTicket;
  return ticket === null ? undefined : paths.ticket(ticket.ticketNumber);
}

type Owner = { workspaceId: string; userId: string };

async function discardListed({ workspaceId, userId }: Owner, draft: ListedDraft): Promise<boolean> {
  const { kind, ticketId } = draft;
  if (kind !== 'ticket') {
    if (ticketId !== null) return discardDraft(ticketHome(userId, { workspaceId, ticketId, kind }), { listed: draft });
    await deleteDraft(workspaceId, draft);
    return true;
  }
  await keepNewTicketDraft({ userId, workspaceId }, draft);
  return discardDraft(newTicketHome({ userId, workspaceId }), { listed: draft });
}
