import { useQuery } from '@tanstack/react-query';
import type { Ticket } from '../api/client.ts';
import { commandProps, useCommands } from '../commands.ts';
import { usePlace } from '../session/Guard.tsx';
import { openOverlay } from '../shell/overlay.ts';
import { matchingCountQuery } from '../tickets/bulk/bulk-changes.ts';
import { type Outcome, reasonsOf } from '../tickets/changes.ts';
import type { ListParameters } from '../tickets/lists.ts';
import type { FieldChange } from '../tickets/ticket-change.ts';
import { Button, IconButton } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './BulkBar.module.css';

type Props = {
  tickets: readonly Ticket[];
  outcome: Outcome | undefined;
  list: ListParameters;
  /** Set if everything that matches the list is selected, but these tickets. */
  except: ReadonlySet<string> | undefined;
  /** Selects everything that matches. Only set where the list has more than is selected. */
  onSelectMatching: (() => void) | undefined;
  onChange: (change: FieldChange) => void;
  /** Shows the outcome of answers with a saved reply. */
  onOutcome: (outcome: Outcome) => void;
  onClear: () => void;
};

/** The pickers of the ticket's head. They open beside their buttons. */
const pickers = [
  ['status', 'done'],
  ['assign', 'person'],
  ['snooze', 'snooze'],
  ['tags', 'tag'],
] as const;

/** The changes that apply to all selected tickets at once. */
export function BulkBar(props: Props) {
  const { tickets, outcome, except, onChange, onOutcome, onClear } = props;
  // Of all that match, every loaded ticket may be deselected.
  const areTrashed = tickets.length > 0 && tickets.every(({ trashedAt }) => trashedAt !== null);
  const areSpam = tickets.length > 0 && tickets.every(({ spamAt }) => spamAt != null);
  const areHidden = areTrashed || areSpam;
  useCommands({
    bulkReply:
      areHidden || except !== undefined
        ? undefined
        : (savedReplyId) => openOverlay({ kind: 'bulkReply', tickets, savedReplyId, onOutcome }),
  });
  return (
    <section className={styles.bar} aria-label={words('bulk.label')}>
      <div className={styles.first}>
        <Selected {...props} />
        <Button look="quiet" onClick={onClear} aria-keyshortcuts="Escape">
          {words('bulk.clear')}
        </Button>
      </div>
      <fieldset className={styles.actions}>
        <legend className="visually-hidden">{words('bulk.label')}</legend>
        {areTrashed && <TrashActions onChange={onChange} />}
        {areSpam && !areTrashed && <SpamActions onChange={onChange} />}
        {!areHidden && <Actions tickets={tickets} onChange={onChange} canReply={except === undefined} />}
      </fieldset>
      {outcome !== undefined && outcome.refusals.length > 0 && <Refusals outcome={outcome} />}
    </section>
  );
}

/** How much is selected, and a button that selects everything that matches. */
function Selected({ tickets, list, except, onSelectMatching }: Props) {
  const { workspace } = usePlace();
  const matching = { list, exceptIds: [...(except ?? [])] };
  const isCounted = except !== undefined || onSelectMatching !== undefined;
  const { data } = useQuery({ ...matchingCountQuery(workspace.id, matching), enabled: isCounted });
  const count = data === undefined ? undefined : data;
  if (except !== undefined)
    return <p role="status">{count === undefined ? words('bulk.counting') : words('bulk.matching', { count })}</p>;
  return (
    <>
      <p role="status">{words('bulk.selected', { count: tickets.length })}</p>
      {onSelectMatching !== undefined && count !== undefined && (
        <Button look="quiet" className={styles.matching} onClick={onSelectMatching}>
          {words('bulk.selectMatching', { count })}
        </Button>
      )}
    </>
  );
}

type ActionProps = Pick<Props, 'tickets' | 'onChange'> & { canReply: boolean };

function Actions({ tickets, onChange, canReply }: ActionProps) {
  const areArchived = tickets.every(({ archivedAt }) => archivedAt !== null);
  return (
    <>
      {pickers.map(([id, icon]) => (
        <IconButton
          key={id}
          icon={icon}
          aria-haspopup="dialog"
          {...commandProps(id)}
          aria-label={words(`command.${id}`)}
        />
      ))}
      {canReply && <IconButton icon="saved" {...commandProps('bulkReply')} aria-label={words('command.bulkReply')} />}
      <IconButton
        icon="archive"
        aria-label={words(areArchived ? 'bulk.unarchive' : 'bulk.archive')}
        onClick={() => onChange({ archive: !areArchived })}
      />
      <IconButton icon="spam" aria-label={words('bulk.spam')} onClick={() => onChange({ spam: true })} />
      <IconButton icon="trash" aria-label={words('bulk.trash')} onClick={() => onChange({ trash: true })} />
    </>
  );
}

/** A ticket in spam does not change until it has left spam. */
function SpamActions({ onChange }: Pick<Props, 'onChange'>) {
  return (
    <>
      <Button onClick={() => onChange({ spam: false })}>{words('spam.not')}</Button>
      <Button {...commandProps('block')}>{words('spam.block')}</Button>
      <Button onClick={() => onChange({ trash: true })}>{words('bulk.trash')}</Button>
    </>
  );
}

/** Tickets in the trash do not change until they are taken out. */
function TrashActions({ onChange }: Pick<Props, 'onChange'>) {
  const { workspace } = usePlace();
  return (
    <>
      <Button onClick={() => onChange({ trash: false })}>{words('bulk.restore')}</Button>
      {workspace.role === 'owner' && <Button {...commandProps('purge')}>{words('bulk.purge')}</Button>}
    </>
  );
}

/** The refused tickets, each with its reason. They stay selected. */
function Refusals({ outcome: { changedCount, refusals } }: { outcome: Outcome }) {
  return (
    <div role="alert" className={styles.refusals}>
      <p>{words('bulk.refused', { changed: changedCount, refused: refusals.length })}</p>
      <ul>
        {reasonsOf(refusals).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
