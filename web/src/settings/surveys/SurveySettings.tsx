import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { HeadAction } from '../HeadAction.tsx';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { type Survey, surveysQuery } from './queries.ts';
import { SurveyPage } from './SurveyPage.tsx';

const list = paths.settings('surveys');

/** What the workspace asks its customers. The address names the open survey. */
export function SurveySettings() {
  const [, navigate] = useLocation();
  const isManager = useIsManager();
  const surveyId = new URLSearchParams(useSearch()).get('survey');
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = surveyId !== null;
  }, [surveyId]);
  if (surveyId === null || !isManager) return <Surveys isBack={wasOpen.current} />;
  return (
    <>
      <BackLink href={list}>{words('surveys.back')}</BackLink>
      <SurveyPage key={surveyId} surveyId={surveyId} onDone={() => navigate(list, { replace: true })} />
    </>
  );
}

/** @param isBack whether a survey was open before, so that the focus needs a new place */
function Surveys({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const source = useQuery(surveysQuery(workspace.id));
  const name = words('settings.surveys');
  return (
    <>
      {isManager && (
        <HeadAction>
          <Link href={`${list}?survey=new`} className={buttonClass('primary')}>
            <Icon name="plus" />
            {words('surveys.new')}
          </Link>
        </HeadAction>
      )}
      <Section title={name} hint={words('surveys.hint')}>
        <PagedList label={name} source={source} none={words('surveys.none')} isBack={isBack}>
          {(survey) => <Line key={survey.id} survey={survey} isManager={isManager} />}
        </PagedList>
      </Section>
    </>
  );
}

function Line({ survey, isManager }: { survey: Survey; isManager: boolean }) {
  const { workspace } = usePlace();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const { id, ask, scale, mailboxId, isActive } = survey;
  const mailbox = mailboxes.find((one) => one.id === mailboxId)?.address ?? words('surveys.allMailboxes');
  return (
    <li>
      <span>
        {isManager ? (
          <Link href={`${list}?survey=${id}`}>{words(`surveys.ask.${ask}`)}</Link>
        ) : (
          <b>{words(`surveys.ask.${ask}`)}</b>
        )}
        <br />
        <small dir="auto">
          {mailbox} · {words(`surveys.scale.${scale}`)}
        </small>
      </span>
      <span>{words(isActive ? 'surveys.on' : 'surveys.off')}</span>
    </li>
  );
}
