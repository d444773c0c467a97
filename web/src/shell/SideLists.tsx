import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { countIn } from '../tickets/counts/count-moves.ts';
import { countWords, useCounts } from '../tickets/counts/counts.ts';
import {
  listOfMailbox,
  listOfTeam,
  type StandardList,
  standardListOf,
  standardLists,
  writeList,
} from '../tickets/lists.ts';
import { mailboxesQuery, teamsQuery } from '../tickets/queries.ts';
import { hueOf } from '../ui/Avatar.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { type View, viewsQuery } from '../views/queries.ts';
import { viewPath } from '../views/ViewBar.tsx';
import { words } from '../words/words.ts';
import styles from './Sidebar.module.css';
import { SideLink } from './SideLink.tsx';
import type { SidebarProps } from './sidebar-props.ts';

/** The standard lists by group, the views, the teams and the mailboxes. */
export function SideLists({ place, page }: SidebarProps) {
  const { workspace } = usePlace();
  const counts = useCounts(workspace.id)?.lists;
  const current = place === undefined || place.viewId !== undefined ? undefined : standardListOf(place.list);
  const countOf = (counted: StandardList['counted']) => {
    const found = countIn(counts, counted);
    return found && countWords(found);
  };
  const listLink = ({ name, parameters, icon, command, counted }: StandardList) => (
    <SideLink
      key={name}
      to={paths.list(writeList(parameters))}
      mark={<Icon name={icon} />}
      text={words(name)}
      command={command}
      isCurrent={name === current?.name}
      count={countOf(counted)}
      isNews={counted === 'mentions'}
    />
  );
  const linksOf = (group: StandardList['group']) => standardLists.filter((list) => list.group === group).map(listLink);
  const undelivered = counts && countWords(counts.undelivered);
  const scheduled = counts && countWords(counts.scheduled);
  return (
    <div className={styles.lists}>
      <ul>
        {linksOf('inbox')}
        <SideLink
          to={paths.drafts}
          mark={<Icon name="draft" />}
          text={words('list.drafts')}
          command="goDrafts"
          isCurrent={page === 'drafts'}
          count={counts && countWords(counts.drafts)}
        />
        {/* These two appear only while there is something in them. */}
        {(page === 'scheduled' || scheduled !== undefined) && (
          <SideLink
            to={paths.scheduled}
            mark={<Icon name="clock" />}
            text={words('list.scheduled')}
            command="goScheduled"
            isCurrent={page === 'scheduled'}
            count={scheduled}
          />
        )}
        {(page === 'undelivered' || undelivered !== undefined) && (
          <SideLink
            to={paths.undelivered}
            mark={<Icon name="alert" />}
            text={words('list.undelivered')}
            command="goUndelivered"
            isCurrent={page === 'undelivered'}
            isBad
            count={undelivered}
          />
        )}
      </ul>
      <section aria-label={words('side.later')}>
        <h2 className={styles.heading}>{words('side.later')}</h2>
        <ul>{linksOf('later')}</ul>
        <Done isCurrent={current?.group === 'done'}>{linksOf('done')}</Done>
      </section>
      <ViewsAndPlaces place={place} />
    </div>
  );
}

const doneKey = 'kontor.done-open';

/** The lists of finished tickets, folded unless the person has opened them or one of them is shown. */
function Done({ isCurrent, children }: { isCurrent: boolean; children: ReactNode }) {
  const id = useId();
  const [isChosen, setIsChosen] = useState(() => localStorage.getItem(doneKey) !== null);
  const isOpen = isChosen || isCurrent;
  const toggle = () => {
    if (isChosen) localStorage.removeItem(doneKey);
    else localStorage.setItem(doneKey, 'open');
    setIsChosen(!isChosen);
  };
  return (
    <>
      <button
        type="button"
        className={styles.item}
        aria-expanded={isOpen}
        aria-controls={id}
        title={words('side.done')}
        onClick={toggle}
      >
        <Icon name="done" />
        <span className={styles.text}>{words('side.done')}</span>
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
      </button>
      <ul id={id} className={styles.inner} aria-label={words('side.done')} hidden={!isOpen}>
        {isOpen && children}
      </ul>
    </>
  );
}

function ViewsAndPlaces({ place }: Pick<SidebarProps, 'place'>) {
  const { workspace } = usePlace();
  const counts = useCounts(workspace.id);
  const views = useQuery(viewsQuery(workspace.id)).data ?? [];
  const places = useGroups();
  const viewCount = (id: string) => {
    const counted = counts?.views.find(({ viewId }) => viewId === id);
    return counted && countWords(counted);
  };
  if (views.length === 0 && places.every(({ items }) => items.length === 0)) return null;
  const shown = place === undefined || place.viewId !== undefined ? undefined : writeList(place.list);
  return (
    <>
      <Flyout views={views} places={places} />
      {views.length > 0 && (
        <Wide title={words('view.heading')}>
          {views.map((view, at) => (
            <SideLink
              key={view.id}
              to={viewPath(view)}
              mark={<span className={styles.dot} data-hue={hueOf(view.id)} data-shared={view.isShared} />}
              text={view.name}
              command={at < 9 ? `goView${at + 1}` : undefined}
              isCurrent={view.id === place?.viewId}
              count={viewCount(view.id)}
            />
          ))}
        </Wide>
      )}
      {places.map(
        ({ title, items }) =>
          items.length > 0 && (
            <Wide key={title} title={title}>
              {items.map(({ id, icon, text, list, count }) => (
                <SideLink
                  key={id}
                  to={paths.list(list)}
                  mark={<Icon name={icon} />}
                  text={text}
                  count={count}
                  isCurrent={shown === list}
                />
              ))}
            </Wide>
          ),
      )}
    </>
  );
}

type Group = {
  title: string;
  items: { id: string; icon: IconName; text: string; list: string; count: string | undefined }[];
};

/** The teams and the mailboxes, with their open tickets. */
function useGroups(): Group[] {
  const { workspace } = usePlace();
  const counts = useCounts(workspace.id);
  const teams = (useQuery(teamsQuery(workspace.id)).data ?? []).filter(
    ({ archivedAt, isMember, visibility }) => archivedAt === null && (isMember || visibility === 'workspace'),
  );
  const connected = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  // A single mailbox has the same tickets as the lists above.
  const mailboxes = connected.length > 1 ? connected : [];
  const ofTeam = (id: string) => counts?.teams?.find(({ teamId }) => teamId === id)?.open;
  const ofMailbox = (id: string) => counts?.mailboxes?.find(({ mailboxId }) => mailboxId === id);
  const textOf = (counted: Parameters<typeof countWords>[0] | undefined) => counted && countWords(counted);
  return [
    {
      title: words('side.teams'),
      items: teams.map(({ id, name, visibility }) => ({
        ...{ id, text: name, list: writeList(listOfTeam(id)), count: textOf(ofTeam(id)) },
        icon: visibility === 'members' ? 'lock' : 'team',
      })),
    },
    {
      title: words('side.mailboxes'),
      items: mailboxes.map(({ id, name, address }) => ({
        ...{ id, text: name ?? address, list: writeList(listOfMailbox(id)), count: textOf(ofMailbox(id)) },
        icon: 'mail',
      })),
    },
  ];
}

function Wide({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.wide} aria-label={title}>
      <h2 className={styles.heading}>{title}</h2>
      <ul aria-label={title}>{children}</ul>
    </section>
  );
}

/** Views, teams and mailboxes as one menu, for a sidebar that has no room for their names. */
function Flyout({ views, places }: { views: readonly View[]; places: readonly Group[] }) {
  const [, navigate] = useLocation();
  const items = () =>
    [
      views.map((view) => ({ id: view.id, text: view.name, run: () => navigate(viewPath(view)) })),
      ...places.map(({ items }) =>
        items.map(({ id, icon, text, list }) => ({ id, icon, text, run: () => navigate(paths.list(list)) })),
      ),
    ].filter((group) => group.length > 0);
  const title = words('side.viewsAndMailboxes');
  return (
    <div className={styles.narrow}>
      <MenuButton label={title} items={items} className={styles.item} aria-label={title} title={title}>
        <Icon name="shared" />
      </MenuButton>
    </div>
  );
}
