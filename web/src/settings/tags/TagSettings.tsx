import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { fullDay } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { bulkChangesQuery, isUnderWay } from '../../tickets/bulk/bulk-changes.ts';
import { caseKey } from '../../tickets/filters.ts';
import { writeList } from '../../tickets/lists.ts';
import { tagListQuery } from '../../tickets/queries.ts';
import { TagNames } from '../../tickets/TagNames.tsx';
import { useAction } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { Field } from '../../ui/Field.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
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
  const changes = useQuery({ ...bulkChangesQuery(workspace.id), enabled: isManager }).data ?? [];
  const isChanging = changes.some(isUnderWay);
  const all = useQuery(tagListQuery(workspace.id));
  const wanted = caseKey(search.trim());
  const found = all.data?.filter(({ tag }) => caseKey(tag).includes(wanted));
  const none = wanted === '' ? 'tags.none' : 'tags.noMatch';
  const source = {
    ...all,
    data: found?.slice(0, shown),
    hasNextPage: (found?.length ?? 0) > shown,
    fetchNextPage: async () => setShown(shown + shownMax),
  };
  return (
    <Section title={words('tags.list')} count={all.data?.length}>
      <Field
        label={words('tags.search')}
        type="search"
        value={search}
        maxLength={64}
        onChange={({ target }) => setSearch(target.value)}
      />
      <p role="status">{isChanging && words('tags.changing')}</p>
      <PagedList label={words('tags.list')} source={source} none={words(none)} more={words('tags.more')}>
        {(tag, onGone) => <Line key={tag.tag} tag={tag} all={all.data ?? []} onGone={onGone} />}
      </PagedList>
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
  const change = useAction((chosen: Colour | '') => colourTag(workspace.id, { tag, colour: chosen || null }));
  return (
    <>
      <Choice
        aria-label={words('tags.colourNamed', { tag })}
        value={(change.isPending ? change.value : colour) ?? ''}
        options={[
          ['', words('tags.noColour')],
          ...colours.map((each) => [each, words(`tags.colour.${each}`)] as const),
        ]}
        onChoose={(chosen) => change.start(chosen)}
      />
      {change.fault}
    </>
  );
}
