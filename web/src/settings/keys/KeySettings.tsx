import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { fullDay, fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { ownId } from '../../tickets/list-places.ts';
import { teamsQuery } from '../../tickets/queries.ts';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { Who } from '../../ui/Table.tsx';
import { spokenLocale, words } from '../../words/words.ts';
import { HeadAction } from '../HeadAction.tsx';
import { allMembersQuery, nameOf } from '../members.ts';
import { useGrantable } from '../RoleChoice.tsx';
import { Section } from '../Section.tsx';
import { EditKey, NewKey } from './KeyDialogs.tsx';
import { type ApiKey, keysQuery, refreshKeys } from './queries.ts';

/** The API keys of the workspace, for programs. */
export function KeySettings() {
  const { workspace } = usePlace();
  const source = useQuery(keysQuery(workspace.id));
  const [isMaking, setIsMaking] = useState(false);
  const heads = ['keys.nameOnly', 'keys.lastUsed', 'members.role', 'members.more'] as const;
  return (
    <>
      <HeadAction>
        <Button look="primary" onClick={() => setIsMaking(true)}>
          <Icon name="plus" />
          {words('keys.new')}
        </Button>
      </HeadAction>
      {isMaking && <NewKey onClose={() => setIsMaking(false)} />}
      <Section title={words('keys.list')} count={source.data?.length}>
        <PagedList
          label={words('keys.list')}
          source={source}
          none={words('keys.none')}
          heads={heads.map((head) => words(head))}
        >
          {(key, onGone) => <KeyRow key={key.id} apiKey={key} onGone={onGone} />}
        </PagedList>
      </Section>
    </>
  );
}

type RowProps = {
  apiKey: ApiKey;
  /** Takes the focus from a row that leaves. */
  onGone: () => void;
};

function KeyRow({ apiKey, onGone }: RowProps) {
  const { id, name, role, hint, createdBy, createdAt, lastUsedAt, teamIds } = apiKey;
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  const { data: teams = [] } = useQuery(teamsQuery(workspace.id));
  const [isEdited, setIsEdited] = useState(false);
  const grantable = useGrantable();
  const maker = members.find(({ userId }) => userId === createdBy);
  const revoke = async () => {
    await inWorkspace(workspace.id)
      .DELETE('/api-keys/{apiKeyId}', { path: { apiKeyId: id } })
      .finally(() => refreshKeys(workspace.id));
    onGone();
  };
  // Only owners may revoke the key of an owner.
  const isRevocable = maker === undefined || grantable.includes(maker.role);
  const made = words('keys.by', { person: maker === undefined ? '?' : nameOf(maker), day: fullDay(createdAt) });
  const ofTeams = teams.filter((team) => teamIds?.includes(team.id)).map((team) => team.name);
  const sees = words('keys.ofTeams', { teams: new Intl.ListFormat(spokenLocale()).format(ofTeams) });
  return (
    <tr>
      <td>
        <Who
          name={name}
          detail={
            <>
              <code>{hint}</code> · {made} {teamIds !== null && <>· {sees}</>}
            </>
          }
        />
      </td>
      <td>{lastUsedAt === null ? words('keys.unused') : fullTime(lastUsedAt)}</td>
      <td>{words(`role.${role}`)}</td>
      <td>
        {createdBy === ownId() && (
          <Button aria-label={words('keys.editNamed', { name })} onClick={() => setIsEdited(true)}>
            {words('keys.edit')}
          </Button>
        )}
        {isRevocable ? (
          <Action aria-label={words('keys.revokeNamed', { name })} sure={words('keys.sure', { name })} run={revoke}>
            {words('keys.revoke')}
          </Action>
        ) : (
          <small>{words('keys.ofOwner')}</small>
        )}
        {isEdited && <EditKey apiKey={apiKey} onClose={() => setIsEdited(false)} />}
      </td>
    </tr>
  );
}
