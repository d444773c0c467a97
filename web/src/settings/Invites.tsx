import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { allPages } from '../api/pages.ts';
import { fullTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { configQuery } from '../session/queries.ts';
import { SessionForm } from '../session/SessionForm.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { CopyText } from './CopyText.tsx';
import { allMembersQuery, nameOf, type Role } from './members.ts';
import { RoleField } from './RoleChoice.tsx';
import { Section } from './Section.tsx';

function invitesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'invites'],
    queryFn: () =>
      allPages((query) =>
        api.GET('/v1/workspaces/{workspaceId}/invites', { params: { ...inWorkspace(workspaceId), query } }),
      ),
  });
}

type Sent = { email: string; link?: string };

/** Whether inviters hand over their links, because no mail is sent and no address must be proven. */
function useHandsOver(): boolean {
  const config = useQuery(configQuery).data;
  return config?.mail === 'outbox' && !config.isEmailVerificationRequired;
}

function HandedLink({ sent }: { sent: Sent | undefined }) {
  return (
    <>
      <p role="status">{sent?.link !== undefined && words('members.handOver', { email: sent.email })}</p>
      {sent?.link !== undefined && (
        <CopyText key={sent.link} label={words('members.link', { email: sent.email })} text={sent.link} />
      )}
    </>
  );
}

export function InviteForm() {
  const { workspace } = usePlace();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const isFile = useQuery(configQuery).data?.mail === 'outbox';
  const isHanded = useHandsOver();
  const last = sent.at(-1);
  const invite = async ({ email = '', role = 'agent' }: Record<string, string>) => {
    const invite = await dataOf(
      api.POST('/v1/workspaces/{workspaceId}/invites', {
        params: inWorkspace(workspace.id),
        body: { email, role: role as Role }, // one of the field's options
      }),
    );
    setSent([...sent, invite]);
    await queryClient.invalidateQueries(invitesQuery(workspace.id));
  };
  return (
    <Section title={words('members.invite')} hint={words(isHanded ? 'members.handHint' : 'members.inviteHint')}>
      {/* A new key empties the form for the next colleague. */}
      <SessionForm key={sent.length} action={words(isHanded ? 'members.makeLink' : 'members.send')} onSubmit={invite}>
        <Field
          label={words('session.email')}
          name="email"
          type="email"
          autoComplete="off"
          autoFocus={sent.length > 0}
          required
        />
        <RoleField />
      </SessionForm>
      <p role="status">
        {last !== undefined &&
          last.link === undefined &&
          words(isFile ? 'members.written' : 'members.sent', { email: last.email })}
      </p>
      <HandedLink sent={last} />
    </Section>
  );
}

/** @param onGone takes the focus from an invitation that leaves, perhaps with the whole section */
export function Invites({ onGone }: { onGone: () => void }) {
  const { workspace } = usePlace();
  const isHanded = useHandsOver();
  const { data = [], error, refetch } = useQuery(invitesQuery(workspace.id));
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
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
    onSuccess: onGone,
    onSettled,
  });
  const fault = error ?? resend.error ?? revoke.error;
  const inviterOf = (userId: string) => {
    const inviter = members.find((member) => member.userId === userId);
    return inviter === undefined ? '' : ` · ${words('members.invitedBy', { person: nameOf(inviter) })}`;
  };
  if (data.length === 0 && fault === null) return null;
  return (
    <Section title={words('members.invites')} hint={words('members.invitesHint')}>
      {fault !== null && <Fault error={fault} onRetry={() => void refetch()} />}
      <p role="status">{resend.isSuccess && resend.data.link === undefined && words('members.resent')}</p>
      <HandedLink sent={resend.data} />
      <ul>
        {data.map(({ id, email, role, invitedBy, expiresAt }) => (
          <li key={id}>
            <span>
              {email} · {words(`role.${role}`)} · {words('members.until', { time: fullTime(expiresAt) })}
              {inviterOf(invitedBy)}
            </span>
            <span>
              <Button
                aria-label={words(isHanded ? 'members.newLinkFor' : 'members.resendTo', { email })}
                disabled={resend.isPending}
                onClick={() => resend.mutate(id)}
              >
                {words(isHanded ? 'members.newLink' : 'members.resend')}
              </Button>{' '}
              <Button
                aria-label={words('members.revokeOf', { email })}
                disabled={revoke.isPending}
                onClick={() => revoke.mutate(id)}
              >
                {words('members.revoke')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
