import { useQuery } from '@tanstack/react-query';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { type NewSurvey, refreshSurveys, type Survey, surveysQuery } from './queries.ts';
import { noSurvey, SurveyForm } from './SurveyForm.tsx';

type Props = { surveyId: string; onDone: () => void };

/** A new survey, or one with its state and its form. */
export function SurveyPage({ surveyId, onDone }: Props) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(surveysQuery(workspace.id));
  if (surveyId === 'new') return <NewPage onDone={onDone} />;
  const survey = data?.find(({ id }) => id === surveyId);
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  if (survey === undefined) return <p>{words(data === undefined ? 'loading' : 'surveys.gone')}</p>;
  return (
    <>
      <StateSection survey={survey} />
      <ChangeSection key={survey.version} survey={survey} />
      <DeleteSection survey={survey} onDone={onDone} />
    </>
  );
}

function NewPage({ onDone }: { onDone: () => void }) {
  const { workspace } = usePlace();
  const create = async (body: NewSurvey) => {
    await inWorkspace(workspace.id).POST('/surveys', { body });
    showToast(words('surveys.made'));
    await refreshSurveys(workspace.id);
    onDone();
  };
  return (
    <Section title={words('surveys.new')} hint={words('surveys.newHint')}>
      <SurveyForm before={noSurvey} action={words('surveys.create')} onSubmit={create} />
    </Section>
  );
}

function StateSection({ survey: { id, ask, isActive } }: { survey: Survey }) {
  const { workspace } = usePlace();
  const turn = async () => {
    await inWorkspace(workspace.id).PATCH('/surveys/{surveyId}', {
      path: { surveyId: id },
      body: { isActive: !isActive },
    });
    await refreshSurveys(workspace.id);
  };
  return (
    <Section title={words(`surveys.ask.${ask}`)} hint={words(isActive ? 'surveys.isOn' : 'surveys.isOff')}>
      <Action {...(!isActive && { look: 'primary' })} run={turn}>
        {words(isActive ? 'surveys.turnOff' : 'surveys.turnOn')}
      </Action>
    </Section>
  );
}

function ChangeSection({ survey }: { survey: Survey }) {
  const { workspace } = usePlace();
  const save = async (body: NewSurvey) => {
    await inWorkspace(workspace.id).PATCH('/surveys/{surveyId}', { path: { surveyId: survey.id }, body });
    showToast(words('settings.saved'));
    await refreshSurveys(workspace.id);
  };
  return (
    <Section title={words('surveys.change')}>
      <SurveyForm before={survey} action={words('surveys.save')} onSubmit={save} />
    </Section>
  );
}

function DeleteSection({ survey: { id }, onDone }: { survey: Survey; onDone: () => void }) {
  const { workspace } = usePlace();
  const remove = async () => {
    await inWorkspace(workspace.id).DELETE('/surveys/{surveyId}', { path: { surveyId: id } });
    onDone();
    await refreshSurveys(workspace.id);
  };
  return (
    <Section title={words('surveys.delete')} hint={words('surveys.deleteHint')}>
      <Action look="danger" sure={words('surveys.deleteSure')} run={remove}>
        {words('surveys.delete')}
      </Action>
    </Section>
  );
}
