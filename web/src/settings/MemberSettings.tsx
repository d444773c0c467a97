import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { fullTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { Section } from './Section.tsx';

type Member = components['schemas']['Member'];
type Role = Member['role'];

const roles = ['owner', 'admin', 'agent', 'viewer'] as const;

function invitesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'invites'],
    queryFn: () =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/invites', {
          params: { ...inWorkspace(workspaceId), query: { limit: 200 } },
        }),
      ),
  });
}

/** The members and invitations of the workspace. Admins and owners can change them. */
export function MemberSettings() {
  const { workspace } = usePlace();
  const isManager = workspace.role === 'owner' || workspace.role === 'admin';
  return (
    <>
      {isManager && <InviteForm />}
      <Members isManager={isManager} />
      {isManager && <Invites />}
      <Section title={words('members.roles')}>
        <ul>
          {roles.map((role) => (
            <li key={role}>
              <span>
                <b>{words(`role.${role}`)}</b> – {words(`members.role.${role}`)}
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** The roles that the person may grant. Only owners may grant the role of owner. */
function useGrantable(): readonly Role[] {
  const { workspace } = usePlace();
  return workspace.role === 'owner' ? roles : roles.filter((role) => role !== 'owner');
}

function InviteForm() {
  const { workspace } = usePlace();
  const grantable = useGrantable();
  const invite = async ({ email = '', role = 'agent' }: Record<string, string>) => {
    await dataOf(
      api.POST('/v1/workspaces/{workspaceId}/invites', {
        params: inWorkspace(workspace.id),
        body: { email, role: role as Role }, // one of the options below
      }),
    );
    await queryClient.invalidateQueries(invitesQuery(workspace.id));
  };
  return (
    <Section title={words('members.invite')} hint={words('members.inviteHint')}>
      <SessionForm action={words('members.send')} onSubmit={invite}>
        <Field label={words('session.email')} name="email" type="email" autoComplete="off" required />
        <label>
          {words('members.role')}{' '}
          <select name="role" defaultValue="agent">
            {grantable.map((role) => (
              <option key={role} value={role}>
                {words(`role.${role}`)}
              </option>
            ))}
          </select>
        </label>
      </SessionForm>
    </Section>
  );
}

function Members({ isManager }: { isManager: boolean }) {
  const { workspace } = usePlace();
  const { data = [], error, refetch } = useQuery(membersQuery(workspace.id));
  return (
    <Section title={words('members.title')}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      <ul>
        {data.map((member) => (
          <MemberLine key={member.userId} member={member} isManager={isManager} />
        ))}
      </ul>
    </Section>
  );
}

function MemberLine({ member, isManager }: { member: Member; isManager: boolean }) {
  const { workspace, userId } = usePlace();
  const grantable = useGrantable();
  const { header } = inWorkspace(workspace.id);
  const params = { path: { workspaceId: workspace.id, userId: member.userId }, header };
  const onSettled = () => queryClient.invalidateQueries(membersQuery(workspace.id));
  const change = useMutation({
    mutationFn: (role: Role) =>
      dataOf(api.PATCH('/v1/workspaces/{workspaceId}/members/{userId}', { params, body: { role } })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/v1/workspaces/{workspaceId}/members/{userId}', { params })),
    onSettled,
  });
  const fault = change.error ?? remove.error;
  const name = member.name ?? member.email;
  const isChangeable = isManager && grantable.includes(member.role);
  return (
    <li>
      <span>
        {name} {member.userId === userId && words('members.you')} <small>{member.email}</small>
      </span>
      <span>
        {isChangeable ? (
          <select
            aria-label={words('members.roleOf', { person: name })}
            value={member.role}
            disabled={change.isPending}
            onChange={(event) => change.mutate(event.target.value as Role)}
          >
            {grantable.map((role) => (
              <option key={role} value={role}>
                {words(`role.${role}`)}
              </option>
            ))}
          </select>
        ) : (
          words(`role.${member.role}`)
        )}{' '}
        {isChangeable && member.userId !== userId && (
          <Button
            aria-label={words('members.removeNamed', { person: name })}
            disabled={remove.isPending}
            onClick={() => window.confirm(words('members.sure', { person: name })) && remove.mutate()}
          >
            {words('members.remove')}
          </Button>
        )}
      </span>
      {fault !== null && <Fault error={fault} />}
    </li>
  );
}

function Invites() {
  const { workspace } = usePlace();
  const { data = [], error, refetch } = useQuery(invitesQuery(workspace.id));
  const { header } = inWorkspace(workspace.id);
  const paramsOf = (inviteId: string) => ({ path: { workspaceId: workspace.id, inviteId }, header });
  const onSettled = () => queryClient.invalidateQueries(invitesQuery(workspace.id));
  const resend = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.POST('/v1/workspaces/{workspaceId}/invites/{inviteId}/resend', { params: paramsOf(id) })),
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.DELETE('/v1/workspaces/{workspaceId}/invites/{inviteId}', { params: paramsOf(id) })),
    onSettled,
  });
  const fault = error ?? resend.error ?? revoke.error;
  if (data.length === 0 && fault === null) return null;
  return (
    <Section title={words('members.invites')}>
      {fault !== null && <Fault error={fault} onRetry={() => void refetch()} />}
      {resend.isSuccess && <p role="status">{words('members.resent')}</p>}
      <ul>
        {data.map(({ id, email, role, expiresAt }) => (
          <li key={id}>
            <span>
              {email} · {words(`role.${role}`)} · {words('members.until', { time: fullTime(expiresAt) })}
            </span>
            <span>
              <Button disabled={resend.isPending} onClick={() => resend.mutate(id)}>
                {words('members.resend')}
              </Button>{' '}
              <Button disabled={revoke.isPending} onClick={() => revoke.mutate(id)}>
                {words('members.revoke')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
