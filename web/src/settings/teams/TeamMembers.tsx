import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action, useAction } from '../../ui/Action.tsx';
import { IconButton } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { Who } from '../../ui/Table.tsx';
import { inOrder, words } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { allMembersQuery, type Member, nameOf } from '../members.ts';
import { Section } from '../Section.tsx';
import { refreshTeams, type TeamWithMembers } from './queries.ts';
import styles from './teams.module.css';

type Props = { team: TeamWithMembers };

/** Who is in a team, and who leads it. */
export function TeamMembers({ team }: Props) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const members = useQuery(allMembersQuery(workspace.id));
  const byId = new Map(members.data?.map((member) => [member.userId, member]));
  const data = team.members.flatMap(({ userId, isLead }) => {
    const member = byId.get(userId);
    return member === undefined ? [] : [{ member, isLead }];
  });
  const heads = ['members.name', 'teams.part', 'teams.remove'] as const;
  return (
    <Section title={words('teams.people')} count={data.length}>
      {isManager && <AddMember team={team} members={members.data ?? []} />}
      <PagedList
        label={words('teams.people')}
        source={{ ...members, data: members.data && data }}
        none={words('teams.nobody')}
        heads={heads.map((head) => words(head))}
      >
        {(line, onGone) => <MemberRow key={line.member.userId} {...{ ...line, team, isManager, onGone }} />}
      </PagedList>
    </Section>
  );
}

function AddMember({ team, members }: Props & { members: readonly Member[] }) {
  const { workspace } = usePlace();
  const [chosen, choose] = useState('');
  const known = new Set(team.members.map(({ userId }) => userId));
  const others = members.filter(({ userId }) => !known.has(userId)).sort((a, b) => inOrder(nameOf(a), nameOf(b)));
  const add = async () => {
    const path = { teamId: team.id, userId: chosen };
    await inWorkspace(workspace.id).PUT('/teams/{teamId}/members/{userId}', { path, body: {} });
    choose('');
    await refreshTeams(workspace.id);
  };
  if (others.length === 0) return null;
  return (
    <div className={styles.add}>
      <Choice
        aria-label={words('teams.newMember')}
        value={chosen}
        options={[['', words('teams.choose')], ...others.map((member) => [member.userId, nameOf(member)] as const)]}
        onChoose={choose}
      />
      <Action disabled={chosen === ''} run={add}>
        {words('teams.add')}
      </Action>
    </div>
  );
}

type RowProps = Props & { member: Member; isLead: boolean; isManager: boolean; onGone: () => void };

function MemberRow({ team, member, isLead, isManager, onGone }: RowProps) {
  const { workspace } = usePlace();
  const here = inWorkspace(workspace.id);
  const path = { teamId: team.id, userId: member.userId };
  const name = nameOf(member);
  const change = useAction((part: string) =>
    here
      .PUT('/teams/{teamId}/members/{userId}', { path, body: { isLead: part === 'lead' } })
      .finally(() => void refreshTeams(workspace.id)),
  );
  const remove = useAction(async () => {
    await here.DELETE('/teams/{teamId}/members/{userId}', { path });
    onGone();
    await refreshTeams(workspace.id);
  });
  const parts = ['lead', 'member'] as const;
  return (
    <tr>
      <td>
        <Who face={{ name, of: member.userId }} name={name} detail={member.name === null ? '' : member.email} />
        {change.fault || remove.fault}
      </td>
      <td>
        {isManager ? (
          <Choice
            aria-label={words('teams.partOf', { person: name })}
            value={isLead ? 'lead' : 'member'}
            disabled={change.isPending}
            options={parts.map((part) => [part, words(`teams.part.${part}`)])}
            onChoose={(part) => change.start(part)}
          />
        ) : (
          words(isLead ? 'teams.part.lead' : 'teams.part.member')
        )}
      </td>
      <td>
        {isManager && (
          <IconButton
            icon="close"
            aria-label={words('teams.removeNamed', { person: name })}
            disabled={remove.isPending}
            onClick={() => remove.start(undefined, words('teams.removeSure', { person: name, team: team.name }))}
          />
        )}
      </td>
    </tr>
  );
}
