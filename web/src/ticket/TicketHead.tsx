import { Link } from 'wouter';
import type { TicketWithMessages } from '../api/client.ts';
import { commandProps } from '../commands.ts';
import { Faces } from '../people/Faces.tsx';
import { MemberFace, useMembers } from '../people/MemberFace.tsx';
import { usePlace } from '../session/Guard.tsx';
import { changeTicket } from '../tickets/changes.ts';
import { Button, IconButton } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import { isEditable } from './is-editable.ts';
import { MoreMenu } from './MoreMenu.tsx';
import type { useRail } from './rail/use-rail.ts';
import { SubjectField } from './SubjectField.tsx';
import { TicketChips } from './TicketChips.tsx';
import styles from './TicketHead.module.css';

type Props = { ticket: TicketWithMessages; backTo: string; rail: ReturnType<typeof useRail> };

/** What the ticket is about, and what one does with it, in one row that never wraps. */
export function TicketHead({ ticket, backTo, rail }: Props) {
  const { workspace } = usePlace();
  const { ticketNumber, status } = ticket;
  const canEdit = isEditable(ticket, workspace.role);
  const isClosed = status === 'closed';
  return (
    <>
      <header className={styles.head}>
        <Link href={backTo} className={styles.back ?? ''} aria-label={words('ticket.back')}>
          <Icon name="left" size={20} />
        </Link>
        <SubjectField
          key={ticket.id}
          subject={ticket.subject}
          isEditable={canEdit}
          onChange={(subject) => void changeTicket(workspace.id, ticket, { subject })}
        />
        <span className={styles.number}>#{ticketNumber}</span>
        <div className={styles.tools}>
          <Faces ticketId={ticket.id} />
          {canEdit && <AssignButton assigneeId={ticket.assigneeId} />}
          {canEdit && (
            <IconButton
              icon="snooze"
              {...commandProps('snooze')}
              className={styles.wide}
              aria-label={words('command.snooze')}
            />
          )}
          {canEdit && (
            <Button
              look={isClosed ? 'plain' : 'tonal'}
              size="tool"
              {...commandProps(isClosed ? 'reopen' : 'close')}
              className={styles.close}
            >
              <Icon name={isClosed ? 'undo' : 'check'} />
              <span className={styles.word}>{words(isClosed ? 'ticket.reopen' : 'ticket.close')}</span>
            </Button>
          )}
          <IconButton
            ref={rail.button}
            icon="rail"
            {...commandProps('contactPanel')}
            className={styles.wide}
            aria-label={words('rail.label')}
            aria-expanded={rail.isOpen}
          />
          <MoreMenu ticket={ticket} />
        </div>
      </header>
      {rail.isNarrow && <TicketChips ticket={ticket} canEdit={canEdit} />}
      <Notices ticket={ticket} canEdit={canEdit} />
    </>
  );
}

/** Why a ticket is not in its usual place, and how it comes back. */
function Notices({ ticket, canEdit }: { ticket: TicketWithMessages; canEdit: boolean }) {
  const { role } = usePlace().workspace;
  const { archivedAt, trashedAt, spamAt, mergedIntoId } = ticket;
  if (mergedIntoId !== null) return <MergedLine intoId={mergedIntoId} />;
  if (trashedAt !== null) return <TrashLine trashedAt={trashedAt} role={role} />;
  if (spamAt != null) return <SpamLine ticket={ticket} />;
  if (archivedAt === null) return null;
  return (
    <div className={styles.notice} data-quiet>
      {words('ticket.archived')}
      {canEdit && (
        <Button look="quiet" size="tool" {...commandProps('archive')}>
          {words('bulk.unarchive')}
        </Button>
      )}
    </div>
  );
}

const MergedLine = later(() => import('./MergedLine.tsx'), 'MergedLine');
const SpamLine = later(() => import('./SpamLine.tsx'), 'SpamLine');
const TrashLine = later(() => import('./TrashLine.tsx'), 'TrashLine');

function AssignButton({ assigneeId }: { assigneeId: string | null }) {
  const members = useMembers();
  const assignee = assigneeId === null ? undefined : members.get(assigneeId);
  const name = assignee?.name ?? words(assigneeId === null ? 'ticket.nobody' : 'event.formerMember');
  return (
    <button
      type="button"
      className={styles.assign}
      {...commandProps('assign')}
      aria-label={`${words('ticket.assignee')}: ${name}`}
    >
      <MemberFace member={assignee} size={24} />
      <Icon name="down" size={12} />
    </button>
  );
}
