import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { inWorkspace } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { teamsQuery } from '../../tickets/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { HeadAction } from '../HeadAction.tsx';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { refreshTeams, type Team } from './queries.ts';
import { TeamPage } from './TeamPage.tsx';

const list = paths.settings('teams');
const pageOf = (teamId: string) => `${list}?team=${teamId}`;
const nameMax = 100;

/** The teams of the workspace. The address names the open team. */
export function TeamSettings() {
  const [, navigate] = useLocation();
  const teamId = new URLSearchParams(useSearch()).get('team');
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = teamId !== null;
  }, [teamId]);
  if (teamId === null) return <Teams isBack={wasOpen.current} />;
  return (
    <>
      <BackLink href={list}>{words('teams.back')}</BackLink>
      <TeamPage key={teamId} teamId={teamId} onGone={() => navigate(list, { replace: true })} />
    </>
  );
}

/** @param isBack whether a team was open before, so that the focus needs a new place */
function Teams({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const [isNew, setIsNew] = useState(false);
  const source = useQuery(teamsQuery(workspace.id));
  return (
    <>
      {isManager && (
        <HeadAction>
          <Button look="primary" onClick={() => setIsNew(true)}>
            <Icon name="plus" />
            {words('teams.new')}
          </Button>
        </HeadAction>
      )}
      {isNew && <NewTeam onClose={() => setIsNew(false)} />}
      <Section title={words('settings.teams')}>
        <PagedList label={words('settings.teams')} source={source} none={words('teams.none')} isBack={isBack}>
          {(team) => <TeamLine key={team.id} team={team} />}
        </PagedList>
      </Section>
    </>
  );
}

function TeamLine({ team: { id, name, visibility, memberCount, archivedAt, isMember } }: { team: Team }) {
  const facts = [
    words('teams.members', { count: memberCount }),
    ...(isMember ? [words('teams.yours')] : []),
    ...(archivedAt === null ? [] : [words('teams.archived')]),
  ];
  return (
    <li>
      <span>
        <Link href={pageOf(id)} dir="auto">
          {name}
        </Link>
        <br />
        <small>{words(`teams.sees.${visibility}`)}</small>
      </span>
      <small>{facts.join(' · ')}</small>
    </li>
  );
}

/** A new team has its maker as its first member, and shows its tickets to everybody until somebody restricts it. */
function NewTeam({ onClose }: { onClose: () => void }) {
  const { workspace, userId } = usePlace();
  const [, navigate] = useLocation();
  const create = async ({ name = '' }: Record<string, string>) => {
    const body = { name, memberIds: [userId] };
    const { id } = await inWorkspace(workspace.id).POST('/teams', { body });
    await refreshTeams(workspace.id);
    onClose();
    navigate(pageOf(id));
  };
  return (
    <Dialog title={words('teams.new')} onClose={onClose}>
      <p>{words('teams.newHint')}</p>
      <SessionForm action={words('teams.create')} onSubmit={create}>
        <Field label={words('teams.name')} name="name" maxLength={nameMax} autoComplete="off" autoFocus required />
      </SessionForm>
    </Dialog>
  );
}
