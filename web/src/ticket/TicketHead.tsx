import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { TicketWithMessages } from '../api/client.ts';
import { type CommandId, commandProps } from '../commands.ts';
import { fullTime } from '../lib/dates.ts';
import { Faces } from '../people/Faces.tsx';
import { usePlace } from '../session/Guard.tsx';
import { priorityWords } from '../tickets/priority-words.ts';
import { TagNames } from '../tickets/TagNames.tsx';
import { Button } from '../ui/Button.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import { SubjectField } from './SubjectField.tsx';
import styles from './TicketHead.module.css';

type Props = {
  ticket: TicketWithMessages;
  backTo: string;
  onSubject: (subject: string) => void;
  /** Further fields and buttons. */
  children: ReactNode;
};

/** The ticket's subject and fields. Each field is a button that opens its picker, while the ticket can be changed. */
export function TicketHead({ ticket, backTo, onSubject, children }: Props) {
  const { workspace } = usePlace();
  const { ticketNumber, status, priority, tags, snoozedUntil, archivedAt, trashedAt, spamAt, mergedIntoId } = ticket;
  const canEdit = isEditable(ticket, workspace.role);
  return (
    <header className={styles.head}>
      <div className={styles.first}>
        <Link href={backTo} className={styles.back ?? ''} aria-label={words('ticket.back')}>
          ←
        </Link>
        <SubjectField key={ticket.id} subject={ticket.subject} isEditable={canEdit} onChange={onSubject} />
        <span className={styles.end}>
          <Faces ticketId={ticket.id} />
          <span className={styles.number}>#{ticketNumber}</span>
        </span>
      </div>
      <div className={styles.fields}>
        <Field command="status" disabled={!canEdit}>
          <span className={styles.dot} data-status={status} aria-hidden="true" />
          {words(`status.${status}`)}
        </Field>
        {children}
        <Field command="priority" disabled={!canEdit}>
          {words('ticket.priorityIs', { priority: priorityWords(priority) })}
        </Field>
        {(canEdit || tags.length > 0) && (
          <Field command="tags" disabled={!canEdit}>
            {tags.length === 0 ? (
              words('ticket.addTags')
            ) : (
              <TagNames workspaceId={workspace.id} tags={tags} className={styles.tag} />
            )}
          </Field>
        )}
        {(canEdit || snoozedUntil !== null) && (
          <Field command="snooze" disabled={!canEdit}>
            {snoozedUntil === null
              ? words('ticket.snooze')
              : words('ticket.snoozedUntil', { time: fullTime(snoozedUntil) })}
          </Field>
        )}
        <Button look="quiet" {...commandProps('palette')} className={styles.field}>
          {words('ticket.more')}
        </Button>
        {archivedAt !== null && trashedAt === null && spamAt == null && <span>{words('ticket.archived')}</span>}
      </div>
      {trashedAt !== null && mergedIntoId === null && <TrashLine trashedAt={trashedAt} role={workspace.role} />}
      {spamAt != null && trashedAt === null && mergedIntoId === null && <SpamLine ticket={ticket} />}
      {mergedIntoId !== null && <p role="status">{words('ticket.merged')}</p>}
    </header>
  );
}

/** Merged tickets, spam and tickets in the trash only change back. */
export function isEditable({ mergedIntoId, trashedAt, spamAt }: TicketWithMessages, role: string): boolean {
  return role !== 'viewer' && mergedIntoId === null && trashedAt === null && spamAt == null;
}

const SpamLine = later(async () => (await import('./SpamLine.tsx')).SpamLine);
const TrashLine = later(async () => (await import('./TrashLine.tsx')).TrashLine);

type FieldProps = { command: CommandId; disabled: boolean; children: ReactNode };

/** A field of the ticket, which is plain text while the ticket cannot be changed. */
function Field({ command, disabled, children }: FieldProps) {
  return (
    <Button look="quiet" {...commandProps(command)} className={styles.field} disabled={disabled}>
      {children}
    </Button>
  );
}
