import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { allPages } from '../api/pages.ts';
import type { components } from '../api/schema.d.ts';
import { fullDay, fullTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { CopyText } from './CopyText.tsx';
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
        api.GET('/v1/workspaces/{workspaceId}/api-keys', { params: { ...inWorkspace(workspaceId), query } }),
      ),
  });
}

/** The API keys of the workspace, for programs. */
export function KeySettings() {
  const { workspace } = usePlace();
  const { data = [], error, isPending, refetch } = useQuery(keysQuery(workspace.id));
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <NewKey />
      <Section title={words('keys.list')}>
        {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
        <div ref={list} tabIndex={-1}>
          {data.length === 0 && error === null && <p>{words(isPending ? 'loading' : 'keys.none')}</p>}
          <ul aria-label={words('keys.list')}>
            {data.map((key) => (
              <KeyLine key={key.id} apiKey={key} onGone={() => list.current?.focus()} />
            ))}
          </ul>
        </div>
      </Section>
    </>
  );
}

function NewKey() {
  const { workspace } = usePlace();
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const [isBack, setBack] = useState(false);
  const create = async ({ name = '', role = 'agent' }: Record<string, string>) => {
    const created = await dataOf(
      api.POST('/v1/workspaces/{workspaceId}/api-keys', {
        params: inWorkspace(workspace.id),
        body: { name, role: role as Role }, // one of the field's options
      }),
    );
    setMade(created);
    await queryClient.invalidateQueries(keysQuery(workspace.id));
  };
  return (
    <Section title={words('keys.new')} hint={words('keys.hint')}>
      {made === undefined ? (
        <SessionForm action={words('keys.create')} onSubmit={create}>
          <Field
            label={words('keys.name')}
            name="name"
            autoComplete="off"
            autoFocus={isBack}
            maxLength={nameMax}
            required
          />
          <RoleField />
        </SessionForm>
      ) : (
        <SecretOnce
          title={words('keys.made', { name: made.name })}
          label={words('keys.secret')}
          secret={made.secret}
          onDone={() => {
            setMade(undefined);
            setBack(true);
          }}
        >
          <CopyText label={words('keys.workspace')} text={workspace.id} />
        </SecretOnce>
      )}
    </Section>
  );
}

type LineProps = {
  apiKey: ApiKey;
  /** Takes the focus from a line that leaves. */
  onGone: () => void;
};

function KeyLine({ apiKey: { id, name, role, hint, createdBy, createdAt, lastUsedAt }, onGone }: LineProps) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  const grantable = useGrantable();
  const maker = members.find(({ userId }) => userId === createdBy);
  const revoke = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/v1/workspaces/{workspaceId}/api-keys/{apiKeyId}', {
          params: {
            path: { workspaceId: workspace.id, apiKeyId: id },
            header: inWorkspace(workspace.id).header,
          },
        }),
      ),
    onSuccess: onGone,
    onSettled: () => queryClient.invalidateQueries(keysQuery(workspace.id)),
  });
  // Only owners may revoke the key of an owner.
  const isRevocable = maker === undefined || grantable.includes(maker.role);
  return (
    <li>
      <span>
        <b>{name}</b> · {words(`role.${role}`)} · <code>{hint}</code>
        <br />
        <small>
          {words('keys.by', { person: maker === undefined ? '?' : nameOf(maker), day: fullDay(createdAt) })}
          {' · '}
          {lastUsedAt === null ? words('keys.unused') : words('keys.used', { time: fullTime(lastUsedAt) })}
        </small>
      </span>
      {isRevocable ? (
        <Button
          aria-label={words('keys.revokeNamed', { name })}
          disabled={revoke.isPending}
          onClick={() => window.confirm(words('keys.sure', { name })) && revoke.mutate()}
        >
          {words('keys.revoke')}
        </Button>
      ) : (
        <small>{words('keys.ofOwner')}</small>
      )}
      {revoke.error !== null && <Fault error={revoke.error} />}
    </li>
  );
}
