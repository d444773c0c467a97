import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { fullDay } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { caseKey } from '../../tickets/belongs.ts';
import { bulkChangesQuery, isUnderWay } from '../../tickets/bulk/bulk-changes.ts';
import { writeList } from '../../tickets/lists.ts';
import { tagListQuery } from '../../tickets/queries.ts';
import { TagNames } from '../../tickets/TagNames.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { type Colour, colours, colourTag, type Tag } from './queries.ts';
import { DeletePanel, RenamePanel } from './TagPanels.tsx';
import styles from './Tags.module.css';

/** More lines would make the page slow. */
const shownMax = 100;

/** The tags of the workspace with their use. Owners and admins rename, merge, colour and delete them. */
export function TagSettings() {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState(shownMax);
  const place = useRef<HTMLDivElement>(null);
  const changes = useQuery({ ...bulkChangesQuery(workspace.id), enabled: isManager }).data ?? [];
  const isChanging = changes.some(isUnderWay);
  const { data, error, isPending, refetch } = useQuery(tagListQuery(workspace.id));
  const wanted = caseKey(search.trim());
  const found = (data ?? []).filter(({ tag }) => caseKey(tag).includes(wanted));
  const none = wanted === '' ? 'tags.none' : 'tags.noMatch';
  return (
    <Section title={words('tags.list')} hint={words(isManager ? 'tags.hint' : 'tags.readersHint')}>
      <Field
        label={words('tags.search')}
        type="search"
        value={search}
        maxLength={64}
        onChange={({ target }) => setSearch(target.value)}
      />
      <p role="status">{isChanging && words('tags.changing')}</p>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {found.length === 0 && error === null && <p>{words(isPending ? 'loading' : none)}</p>}
      <div ref={place} tabIndex={-1} className={styles.rest}>
        <ul aria-label={words('tags.list')}>
          {found.slice(0, shown).map((tag) => (
            <Line key={tag.tag} tag={tag} all={data ?? []} onGone={() => place.current?.focus()} />
          ))}
        </ul>
      </div>
      {found.length > shown && <Button onClick={() => setShown(shown + shownMax)}>{words('tags.more')}</Button>}
    </Section>
  );
}

type LineProps = { tag: Tag; all: readonly Tag[]; onGone: () => void };

function Line({ tag: { tag, openTickets, tickets, lastUsedAt, colour }, all, onGone }: LineProps) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const [panel, setPanel] = useState<'rename' | 'delete'>();
  const opener = useRef<HTMLSpanElement>(null);
  const facts = [
    words('tags.open', { count: openTickets }),
    words('tags.tickets', { count: tickets }),
    ...(lastUsedAt === null ? [] : [words('tags.used', { day: fullDay(lastUsedAt) })]),
  ];
  const close = () => {
    setPanel(undefined);
    opener.current?.querySelector('button')?.focus();
  };
  const props = { tag, onClose: close, onDone: onGone };
  return (
    <li>
      <span>
        <Link href={paths.list(writeList({ tags: [tag] }))}>
          <TagNames workspaceId={workspace.id} tags={[tag]} className={styles.tag} />
        </Link>
        <br />
        <small>{facts.join(' · ')}</small>
      </span>
      {isManager && (
        <span ref={opener} className={styles.tools}>
          <ColourChoice tag={tag} colour={colour} />
          <Button
            aria-label={words('tags.renameNamed', { tag })}
            aria-expanded={panel === 'rename'}
            onClick={() => setPanel(panel === 'rename' ? undefined : 'rename')}
          >
            {words('tags.rename')}
          </Button>
          <Button
            aria-label={words('tags.deleteNamed', { tag })}
            aria-expanded={panel === 'delete'}
            onClick={() => setPanel(panel === 'delete' ? undefined : 'delete')}
          >
            {words('tags.delete')}
          </Button>
        </span>
      )}
      {panel === 'rename' && <RenamePanel {...props} all={all} />}
      {panel === 'delete' && <DeletePanel {...props} />}
    </li>
  );
}

function ColourChoice({ tag, colour }: Pick<Tag, 'tag' | 'colour'>) {
  const { workspace } = usePlace();
  const change = useMutation({
    mutationFn: (chosen: Colour | null) => colourTag(workspace.id, { tag, colour: chosen }),
  });
  const shown = change.isPending ? change.variables : colour;
  return (
    <>
      <select
        aria-label={words('tags.colourNamed', { tag })}
        value={shown ?? ''}
        onChange={({ target }) => change.mutate(colours.find((each) => each === target.value) ?? null)}
      >
        <option value="">{words('tags.noColour')}</option>
        {colours.map((each) => (
          <option key={each} value={each}>
            {words(`tags.colour.${each}`)}
          </option>
        ))}
      </select>
      {change.error !== null && <Fault error={change.error} />}
    </>
  );
}
