import { useQuery } from '@tanstack/react-query';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import type { Fields } from '../../session/use-fields.ts';
import { Action } from '../../ui/Action.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { showToast } from '../../ui/toast.ts';
import { spokenLocale, words } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { allMembersQuery, type Member, nameOf } from '../members.ts';
import { Section } from '../Section.tsx';
import { SettingsForm } from '../SettingsForm.tsx';
import { refreshTeams, type TeamWithMembers, teamQuery } from './queries.ts';
import { TeamMembers } from './TeamMembers.tsx';
import styles from './teams.module.css';

type Props = { teamId: string; onGone: () => void };

/** A team: who sees its tickets, who is in it. Members who may not manage teams read it. */
export function TeamPage({ teamId, onGone }: Props) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const { data: team, error, refetch } = useQuery(teamQuery(workspace.id, teamId));
  if (team === undefined)
    return error === null ? <p>{words('loading')}</p> : <Fault error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {isManager ? (
        <TeamForm key={`${team.name} ${team.visibility}`} team={team} />
      ) : (
        <Section title={team.name}>{words(`teams.sees.${team.visibility}`)}</Section>
      )}
      <InWords team={team} />
      <TeamMembers team={team} />
      {isManager && <Endings team={team} onGone={onGone} />}
    </>
  );
}

type TeamProps = { team: TeamWithMembers };

function TeamForm({ team }: TeamProps) {
  const { workspace } = usePlace();
  const save = ({ name = '', visibility }: Fields) =>
    inWorkspace(workspace.id)
      .PATCH('/teams/{teamId}', {
        path: { teamId: team.id },
        // A colleague may have changed the rest meanwhile. The form offers the values of `visibility` alone.
        body: {
          ...(name.trim() !== team.name && { name: name.trim() }),
          ...(visibility !== team.visibility && { visibility: visibility as typeof team.visibility }),
        },
      })
      .finally(() => void refreshTeams(workspace.id));
  return (
    <SettingsForm onSave={save}>
      <Section title={team.name}>
        <Field label={words('teams.name')} name="name" maxLength={100} defaultValue={team.name} required />
      </Section>
      <Section title={words('teams.visibility')} hint={words('teams.visibilityHint')}>
        <Choices
          name="visibility"
          label={words('teams.visibility')}
          options={[
            ['workspace', words('teams.everybody', { workspace: workspace.name })],
            ['members', words('teams.onlyTeam')],
          ]}
          value={team.visibility}
        />
      </Section>
    </SettingsForm>
  );
}

/** What the choice means for the people of this workspace, by name. */
function InWords({ team }: TeamProps) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  if (team.visibility === 'workspace') return null;
  const inTeam = new Set(team.members.map(({ userId }) => userId));
  const inside = members.filter(({ userId }) => inTeam.has(userId));
  const owners = members.filter(({ userId, role }) => role === 'owner' && !inTeam.has(userId));
  const outside = members.filter(({ userId, role }) => role !== 'owner' && !inTeam.has(userId));
  const line = (icon: IconName, key: 'inside' | 'outside' | 'owners', of: readonly Member[]) =>
    of.length > 0 && (
      <div className={styles.sees}>
        <Icon name={icon} />
        <div>
          <p dir="auto">{words(`teams.words.${key}`, { people: namesOf(of), team: team.name, count: of.length })}</p>
          <p>{words(`teams.words.${key}Hint`)}</p>
        </div>
      </div>
    );
  return (
    <Section title={words('teams.words')}>
      {line('people', 'inside', inside)}
      {line('lock', 'outside', outside)}
      {line('shield', 'owners', owners)}
    </Section>
  );
}

const namesMax = 4;

function namesOf(members: readonly Member[]): string {
  const shown = members.slice(0, namesMax).map(nameOf);
  const left = members.length - shown.length;
  return new Intl.ListFormat(spokenLocale()).format(
    left === 0 ? shown : [...shown, words('teams.others', { count: left })],
  );
}

/** A team with tickets can only be archived, so that they stay as hidden as they were. */
function Endings({ team, onGone }: TeamProps & Pick<Props, 'onGone'>) {
  const { workspace } = usePlace();
  const here = inWorkspace(workspace.id);
  const path = { teamId: team.id };
  const isArchived = team.archivedAt !== null;
  const archive = () =>
    here
      .PATCH('/teams/{teamId}', { path, body: { archived: !isArchived } })
      .finally(() => void refreshTeams(workspace.id));
  const remove = async () => {
    await here.DELETE('/teams/{teamId}', { path });
    showToast(words('teams.deleted', { team: team.name }));
    onGone();
    await refreshTeams(workspace.id);
  };
  return (
    <Section title={words('teams.end')} hint={words('teams.endHint')}>
      <Action run={archive}>{words(isArchived ? 'teams.restore' : 'teams.archive')}</Action>
      <Action look="danger" sure={words('teams.deleteSure', { team: team.name })} run={remove}>
        {words('teams.delete')}
      </Action>
    </Section>
  );
}
