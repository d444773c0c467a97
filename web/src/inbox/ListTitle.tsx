import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { useCommands } from '../commands.ts';
import { isOnePane } from '../lib/one-pane.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { densities, usePreferences } from '../lib/preferences.ts';
import { useStateOf } from '../lib/use-state-of.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { choosePreferences } from '../session/preferences.ts';
import { countWords, useCounts } from '../tickets/counts/counts.ts';
import { type ListParameters, type ListPlace, standardListOf, writeList, writePlace } from '../tickets/lists.ts';
import buttons from '../ui/Button.module.css';
import { Icon } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { Select } from '../ui/Select.tsx';
import { viewsQuery } from '../views/queries.ts';
import { listOf } from '../views/ViewBar.tsx';
import { words } from '../words/words.ts';
import { omit } from './chips.ts';
import { FilterPanel } from './FilterPanel.tsx';
import styles from './ListTitle.module.css';
import { SearchBox } from './SearchBox.tsx';

/** The list's name and count, or the search box, and what changes the list's order, filters and density. */
export function ListTitle({ place: { list, viewId }, isPage }: { place: ListPlace; isPage: boolean }) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const written = writePlace(list, viewId);
  const view = useQuery(viewsQuery(workspace.id)).data?.find(({ id }) => id === viewId);
  const standard = standardListOf(list);
  const isSearch = list.search !== undefined;
  const name = view?.name ?? words(standard?.name ?? (isSearch ? 'list.results' : 'list.tickets'));
  const count = useCount(viewId, viewId === undefined ? standard?.counted : undefined);
  // The sidebar counts a view as it is saved.
  const isAsSaved = view === undefined || writeList(listOf(view)) === writeList(list);
  const { box, isAsking, stopAsking } = useAsking({ isPage, written });
  const go = (wanted: ListParameters) => navigate(paths.list(writePlace(wanted, viewId)));
  const sort = <SortChoice list={list} onChange={go} />;
  const Heading = isPage ? 'h1' : 'p';
  const heading = (
    <>
      <Heading className={isAsking && !isSearch ? 'visually-hidden' : styles.name} dir="auto">
        {name}
      </Heading>
      {!isAsking && isAsSaved && count !== undefined && <span className={styles.count}>{count}</span>}
    </>
  );
  const hasBox = isSearch || isAsking;
  return (
    <>
      {isPage && <TabTitle text={name} />}
      <div className={styles.title}>
        {!isSearch && heading}
        {hasBox && <SearchBox key={written} ref={box} search={list.search ?? ''} onClose={stopAsking} />}
        <span className={styles.tools}>
          {!hasBox && sort}
          <FilterPanel key={writeList(list)} list={list} onChange={go} />
          {!hasBox && <DisplayMenu />}
        </span>
      </div>
      {isSearch && (
        <div className={styles.found}>
          {heading}
          <span className={styles.tools}>
            {sort}
            <DisplayMenu />
          </span>
        </div>
      )}
    </>
  );
}

/** Whether the search box stands in the place of the list's name. It always does where a search is shown. */
function useAsking({ isPage, written }: { isPage: boolean; written: string }) {
  const [, navigate] = useLocation();
  const box = useRef<HTMLInputElement>(null);
  const [isAsking, setIsAsking] = useStateOf(written, false);
  useCommands({
    search: () => {
      // At once: the next keys are meant for the box.
      flushSync(() => {
        if (!isPage && isOnePane()) navigate(paths.list(written));
        setIsAsking(true);
      });
      box.current?.focus();
      box.current?.select();
    },
  });
  return { box, isAsking, stopAsking: () => setIsAsking(false) };
}

/** The count of a view or a standard list, as the sidebar has it. */
function useCount(
  viewId: string | undefined,
  counted: keyof NonNullable<ReturnType<typeof useCounts>>['lists'] | undefined,
) {
  const { workspace } = usePlace();
  const counts = useCounts(workspace.id);
  const count =
    viewId === undefined ? counted && counts?.lists[counted] : counts?.views.find((one) => one.viewId === viewId);
  return count && countWords(count);
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
    <Select
      label={words('sort.label')}
      value={order === 'asc' ? `${sort} asc` : sort}
      options={sorts.map((value) => ({ value, text: words(`sort.${value}`) }))}
      onChange={change}
      isQuiet
    />
  );
}

function DisplayMenu() {
  const { density } = usePreferences();
  const items = () => [
    densities.map((value) => ({
      id: value,
      text: words(`density.${value}`),
      isChosen: value === density,
      run: () => void choosePreferences({ density: value }),
    })),
  ];
  return (
    <MenuButton
      label={words('density.label')}
      items={items}
      className={buttons.icon}
      aria-label={words('density.label')}
      title={words('density.label')}
    >
      <Icon name="display" />
    </MenuButton>
  );
}
