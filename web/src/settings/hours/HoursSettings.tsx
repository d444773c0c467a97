import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { calendarsQuery } from '../../tickets/calendars.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { HeadAction } from '../HeadAction.tsx';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { HoursPage } from './HoursPage.tsx';
import { OpenState } from './OpenState.tsx';
import type { Calendar } from './queries.ts';
import { weekWords } from './week.ts';

const list = paths.settings('hours');

/** The calendars of business hours. The address names the open one. */
export function HoursSettings() {
  const [, navigate] = useLocation();
  const isManager = useIsManager();
  const calendarId = new URLSearchParams(useSearch()).get('calendar');
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = calendarId !== null;
  }, [calendarId]);
  if (calendarId === null || !isManager) return <Calendars isBack={wasOpen.current} />;
  return (
    <>
      <BackLink href={list}>{words('hours.back')}</BackLink>
      <HoursPage key={calendarId} calendarId={calendarId} onDone={() => navigate(list, { replace: true })} />
    </>
  );
}

/** @param isBack whether a calendar was open before, so that the focus needs a new place */
function Calendars({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  // Whether one is open changes by itself.
  const source = useQuery({ ...calendarsQuery(workspace.id), refetchInterval: 60_000, staleTime: 0 });
  return (
    <>
      {isManager && (
        <HeadAction>
          <Link href={`${list}?calendar=new`} className={buttonClass('primary')}>
            <Icon name="plus" />
            {words('hours.new')}
          </Link>
        </HeadAction>
      )}
      <Section title={words('settings.hours')}>
        <PagedList label={words('settings.hours')} source={source} none={words('hours.none')} isBack={isBack}>
          {(calendar) => <CalendarLine key={calendar.id} calendar={calendar} isManager={isManager} />}
        </PagedList>
      </Section>
    </>
  );
}

function CalendarLine({ calendar, isManager }: { calendar: Calendar; isManager: boolean }) {
  const { id, name, timeZone, hours } = calendar;
  return (
    <li>
      <span>
        {isManager ? (
          <Link href={`${list}?calendar=${id}`} dir="auto">
            {name}
          </Link>
        ) : (
          <b dir="auto">{name}</b>
        )}
        <br />
        <small>
          {weekWords(hours)} · {timeZone.replaceAll('_', ' ')}
        </small>
      </span>
      <OpenState calendar={calendar} />
    </li>
  );
}
