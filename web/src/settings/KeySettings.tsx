import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, inWorkspace, paramsIn } from '../api/client.ts';
import { allPages } from '../api/pages.ts';
import type { components } from '../api/schema.d.ts';
import { fullDay, fullTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { Action } from '../ui/Action.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Icon } from '../ui/Icon.tsx';
import { PagedList } from '../ui/PagedList.tsx';
import { Who } from '../ui/Table.tsx';
import { words } from '../words/words.ts';
import { CopyText } from './CopyText.tsx';
import { HeadAction } from './HeadAction.tsx';
import { allMembersQuery, nameOf, type Role } from './members.ts';
import { RoleField, useGrantable } from './RoleChoice.tsx';
import { SecretOnce } from './SecretOnce.tsx';
import { Section } from './Section.tsx';

type ApiKey = components['schemas']['ApiKey'];

const nameMax = 100;

function keysQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'api-keys'],
    queryFn: () =>
      allPages((query) =>
        api.GET('/v1/workspaces/{workspaceId}/api-keys', { params: { ...paramsIn(workspaceId), query } }),
      ),
  });
}

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

function NewKey({ onClose }: { onClose: () => void }) {
  const { workspace } = usePlace();
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const create = async ({ name = '', role = 'agent' }: Record<string, string>) => {
    // The role is one of the field's options.
    const created = await inWorkspace(workspace.id).POST('/api-keys', { body: { name, role: role as Role } });
    setMade(created);
    await queryClient.invalidateQueries(keysQuery(workspace.id));
  };
  return (
    <Dialog title={words('keys.new')} onClose={onClose}>
      {made === undefined ? (
        <SessionForm action={words('keys.create')} onSubmit={create}>
          <Field label={words('keys.name')} name="name" autoComplete="off" autoFocus maxLength={nameMax} required />
          <RoleField />
        </SessionForm>
      ) : (
        <SecretOnce
          title={words('keys.made', { name: made.name })}
          label={words('keys.secret')}
          secret={made.secret}
          onDone={onClose}
        >
          <CopyText label={words('keys.workspace')} text={workspace.id} />
        </SecretOnce>
      )}
    </Dialog>
  );
}

type RowProps = {
  apiKey: ApiKey;
  /** Takes the focus from a row that leaves. */
  onGone: () => void;
};

function KeyRow({ apiKey: { id, name, role, hint, createdBy, createdAt, lastUsedAt }, onGone }: RowProps) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  const grantable = useGrantable();
  const maker = members.find(({ userId }) => userId === createdBy);
  const revoke = async () => {
    await inWorkspace(workspace.id)
      .DELETE('/api-keys/{apiKeyId}', { path: { apiKeyId: id } })
      .finally(() => queryClient.invalidateQueries(keysQuery(workspace.id)));
    onGone();
  };
  // Only owners may revoke the key of an owner.
  const isRevocable = maker === undefined || grantable.includes(maker.role);
  const made = words('keys.by', { person: maker === undefined ? '?' : nameOf(maker), day: fullDay(createdAt) });
  return (
    <tr>
      <td>
        <Who
          name={name}
          detail={
            <>
              <code>{hint}</code> · {made}
            </>
          }
        />
      </td>
      <td>{lastUsedAt === null ? words('keys.unused') : fullTime(lastUsedAt)}</td>
      <td>{words(`role.${role}`)}</td>
      <td>
        {isRevocable ? (
          <Action aria-label={words('keys.revokeNamed', { name })} sure={words('keys.sure', { name })} run={revoke}>
            {words('keys.revoke')}
          </Action>
        ) : (
          <small>{words('keys.ofOwner')}</small>
        )}
      </td>
    </tr>
  );
}
