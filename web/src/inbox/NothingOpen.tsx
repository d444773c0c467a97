import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type CommandId, keysOf } from '../commands.ts';
import { keyWords } from '../lib/keys.ts';
import { notificationsId } from '../notifications/NotificationPanel.tsx';
import { unreadCountQuery } from '../notifications/queries.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { meQuery } from '../session/queries.ts';
import { countWords, useCounts } from '../tickets/counts/counts.ts';
import { writeList } from '../tickets/lists.ts';
import { nameOfContact } from '../tickets/persons.ts';
import { useTicketList } from '../tickets/use-ticket-list.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Waits } from '../ui/Waits.tsx';
import { words } from '../words/words.ts';
import styles from './NothingOpen.module.css';

const longestMax = 3;
const dayMs = 86_400_000;
const waiting = { status: ['open'], sort: 'waitingSince', order: 'asc' };

/**
 * Stands in the place of the ticket while none is open: who has waited longest, and what else there is to do.
 * @param written the list that is shown, as the address writes it
 */
export function NothingOpen({ written }: { written: string }) {
  const { workspace } = usePlace();
  const me = useQuery(meQuery).data?.user;
  const { data } = useTicketList(workspace.id, waiting);
  const tickets = (data?.pages.flatMap((page) => page.tickets) ?? []).filter((one) => one.waitingSince !== null);
  const late = tickets.filter(({ waitingSince }) => Date.now() - Date.parse(waitingSince ?? '') > dayMs);
  const [oldest] = tickets;
  const [name] = (me?.name ?? '').split(' ');
  return (
    <div className={styles.pane}>
      <div className={styles.column}>
        <div>
          <h2 dir="auto">{name ? words(`idle.${partOfDay()}Named`, { name }) : words(`idle.${partOfDay()}`)}</h2>
          {data !== undefined && (
            <p className={styles.lead}>
              {late.length === 0 ? words('idle.inTime') : words('idle.late', { count: late.length })}
            </p>
          )}
        </div>
        {oldest !== undefined && (
          <section className={styles.card} aria-labelledby="waiting-longest">
            <div className={styles.head}>
              <h3 id="waiting-longest">{words('idle.longest')}</h3>
              <Link className={styles.oldest ?? ''} href={paths.ticket(oldest.ticketNumber, written)}>
                {words('idle.openOldest')}
              </Link>
            </div>
            {late.slice(0, longestMax).map(({ id, ticketNumber, requester, subject, waitingSince }) => {
              const person = requester === null ? words('app') : nameOfContact(requester);
              return (
                <Link key={id} className={styles.line ?? ''} href={paths.ticket(ticketNumber, written)}>
                  <Avatar name={person} of={requester?.email ?? id} size={24} />
                  <span className={styles.person} dir="auto">
                    {person}
                  </span>
                  <span className={styles.subject} dir="auto">
                    {subject}
                  </span>
                  {waitingSince !== null && <Waits since={waitingSince} />}
                </Link>
              );
            })}
          </section>
        )}
        <Tiles />
        <Keys />
      </div>
    </div>
  );
}

function partOfDay(): 'morning' | 'afternoon' | 'evening' {
  const hour = new Date().getHours();
  if (hour < 12) return 'morning';
  return hour < 18 ? 'afternoon' : 'evening';
}

function Tiles() {
  const { workspace } = usePlace();
  const counts = useCounts(workspace.id)?.lists;
  const unread = useQuery(unreadCountQuery(workspace.id)).data?.count;
  return (
    <div className={styles.tiles}>
      <Link className={styles.tile ?? ''} href={paths.list(writeList({ status: ['open'], assignee: ['none'] }))}>
        <Tile
          icon="unassigned"
          count={counts && (countWords(counts.unassigned) ?? '0')}
          text={words('list.unassigned')}
        />
      </Link>
      <Link className={styles.tile ?? ''} href={paths.drafts}>
        <Tile icon="draft" count={counts && (countWords(counts.drafts) ?? '0')} text={words('idle.drafts')} />
      </Link>
      <button type="button" className={styles.tile} popoverTarget={notificationsId}>
        <Tile
          icon="bell"
          count={unread !== undefined && unread > 99 ? '99+' : unread?.toString()}
          text={words('notifications.title')}
        />
      </button>
    </div>
  );
}

/** Keeps its height while the count is not known. */
function Tile({ icon, count = '\u2013', text }: { icon: IconName; count: string | undefined; text: string }) {
  return (
    <>
      <Icon name={icon} />
      <b>{count}</b>
      <span>{text}</span>
    </>
  );
}

const taught = [
  ['next', 'j'],
  ['answer', 'r'],
  ['assign', 'a'],
  ['close', 'e'],
  ['help', '?'],
] as const satisfies readonly (readonly [CommandId, string])[];

/** The keys to begin with, as this person has set them. */
function Keys() {
  return (
    <p className={styles.keys}>
      {taught.map(([command, name]) => {
        const [key] = keysOf(command);
        return (
          key !== undefined && (
            <span key={command}>
              <kbd>{keyWords(key)}</kbd> {words(`onboarding.key.${name}`)}
            </span>
          )
        );
      })}
    </p>
  );
}
