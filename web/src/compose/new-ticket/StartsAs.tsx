import type { ReactNode } from 'react';
import { MemberFace, useMembers } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { openOverlay } from '../../shell/overlay.ts';
import { chipLook, StatusDot, tagLook } from '../../tickets/Marks.tsx';
import { TagNames } from '../../tickets/TagNames.tsx';
import { withTags } from '../../tickets/ticket-change.ts';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import type { Start } from '../draft/draft-content.ts';
import styles from './StartsAs.module.css';

type Kind = 'status' | 'assign' | 'tags';

type Props = { start: Start; onChange: (start: Start) => void };

/** Status, assignee and tags that the ticket will have, each with the picker of a ticket's head. */
export function StartsAs({ start, onChange }: Props) {
  const { workspace } = usePlace();
  const assignee = useMembers().get(start.assigneeId ?? '');
  const pick = (kind: Kind, shown: Start, button?: HTMLElement) =>
    openOverlay(
      {
        kind,
        tickets: [{ id: 'new', ...shown }],
        onChange: (change) => {
          if (change.kind !== 'fields') return;
          const { addTags = [], removeTags = [], ...fields } = change.fields;
          const { status, assigneeId } = { ...shown, ...fields };
          const next = { status, assigneeId, tags: withTags(shown.tags, addTags, removeTags) };
          onChange(next);
          // The picker of tags stays open, and shows what is chosen now.
          if (kind === 'tags') pick(kind, next);
        },
      },
      button,
    );
  const chip = (kind: Kind, label: string, content: ReactNode) => (
    <button
      type="button"
      className={chipLook}
      aria-haspopup="dialog"
      title={words(`command.${kind}`)}
      onClick={({ currentTarget }) => pick(kind, start, currentTarget)}
    >
      <span className="visually-hidden">{label} </span>
      {content}
    </button>
  );
  return (
    <div role="group" className={styles.line} aria-labelledby="starts-as">
      <span id="starts-as">{words('new.startsAs')}</span>
      {chip(
        'status',
        words('ticket.status'),
        <>
          <StatusDot status={start.status} />
          {words(`status.${start.status}`)}
        </>,
      )}
      {chip(
        'assign',
        words('ticket.assignee'),
        <>
          <MemberFace member={assignee} size={20} />
          {assignee?.name ?? words('ticket.nobody')}
        </>,
      )}
      <TagNames workspaceId={workspace.id} tags={start.tags} className={tagLook} />
      {chip(
        'tags',
        words('ticket.tags'),
        <>
          <Icon name="plus" size={14} />
          {words('ticket.addTags')}
        </>,
      )}
    </div>
  );
}
