import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { usePageTitle } from '../lib/page-title.ts';
import { usePreferences } from '../lib/preferences.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { choosePreferences } from '../session/preferences.ts';
import { sidebarId } from '../shell/Sidebar.tsx';
import { type ListParameters, type ListPlace, standardListOf, writePlace } from '../tickets/lists.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { viewsQuery } from '../views/queries.ts';
import { words } from '../words/words.ts';
import { omit } from './chips.ts';
import styles from './ListTitle.module.css';

/** The list's name, sort order and density. */
export function ListTitle({ place: { list, viewId }, isPage }: { place: ListPlace; isPage: boolean }) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const view = useQuery(viewsQuery(workspace.id)).data?.find(({ id }) => id === viewId);
  const standard = standardListOf(list)?.name;
  const name = view?.name ?? words(standard ?? (list.search === undefined ? 'list.tickets' : 'list.results'));
  const Heading = isPage ? 'h1' : 'p';
  return (
    <div className={styles.title}>
      {isPage && <TabTitle text={name} />}
      <Button look="quiet" className={styles.menu} popoverTarget={sidebarId} aria-label={words('list.menu')}>
        <Icon name="menu" />
      </Button>
      <Heading className={styles.name}>{name}</Heading>
      <SortChoice list={list} onChange={(wanted) => navigate(paths.list(writePlace(wanted, viewId)))} />
      <DensityButton />
    </div>
  );
}

/** Sets the tab's title. Not used while a ticket is open, which sets the title itself. */
function TabTitle({ text }: { text: string }) {
  usePageTitle(text);
  return null;
}

const sorts = [
  'lastMessageAt',
  'lastMessageAt asc',
  'waitingSince asc',
  'createdAt',
  'createdAt asc',
  'updatedAt',
  'priority',
] as const;

type ChoiceProps = { list: ListParameters; onChange: (list: ListParameters) => void };

function SortChoice({ list, onChange }: ChoiceProps) {
  const { sort = 'lastMessageAt', order } = list;
  const change = (value: string) => {
    const [wanted = '', direction] = value.split(' ');
    const unsorted = omit(omit(list, 'sort'), 'order');
    onChange({
      ...unsorted,
      ...(value === sorts[0] ? {} : { sort: wanted }),
      ...(direction === undefined ? {} : { order: direction }),
    });
  };
  return (
    <select
      aria-label={words('sort.label')}
      className={styles.sort}
      value={order === 'asc' ? `${sort} asc` : sort}
      onChange={(event) => change(event.target.value)}
    >
      {sorts.map((value) => (
        <option key={value} value={value}>
          {words(`sort.${value}`)}
        </option>
      ))}
    </select>
  );
}

function DensityButton() {
  const { density } = usePreferences();
  const other = density === 'compact' ? 'comfortable' : 'compact';
  return (
    <Button
      look="quiet"
      className={styles.density}
      aria-pressed={density === 'compact'}
      aria-label={words('density.compact')}
      title={words(`density.${other}`)}
      onClick={() => void choosePreferences({ density: other })}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <path
          d={density === 'compact' ? 'M2 3h12M2 8h12M2 13h12' : 'M2 3h12M2 6h12M2 10h12M2 13h12'}
          stroke="currentColor"
          strokeWidth="1.5"
        />
      </svg>
    </Button>
  );
}
