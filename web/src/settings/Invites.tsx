import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, inWorkspace, paramsIn } from '../api/client.ts';
import { allPages } from '../api/pages.ts';
import { fullTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { configQuery } from '../session/queries.ts';
import { SessionForm } from '../session/SessionForm.tsx';
import { teamsQuery } from '../tickets/queries.ts';
import { Action } from '../ui/Action.tsx';
import { ChoiceField } from '../ui/Choice.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { PagedList } from '../ui/PagedList.tsx';
import { showToast } from '../ui/toast.ts';
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
        api.GET('/v1/workspaces/{workspaceId}/invites', { params: { ...paramsIn(workspaceId), query } }),
      ),
  });
}

const accesses = ['all', 'teams'] as const;

type Sent = { email: string; link?: string };

/** Whether inviters hand over their links, because no mail is sent and no address must be proven. */
export function useHandsOver(): boolean {
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

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { workspace } = usePlace();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const isFile = useQuery(configQuery).data?.mail === 'outbox';
  const isHanded = useHandsOver();
  const hasTeams = (useQuery(teamsQuery(workspace.id)).data ?? []).length > 0;
  const last = sent.at(-1);
  const invite = async ({ email = '', role = 'agent', access = 'all' }: Record<string, string>) => {
    // Both are options of their fields.
    const body = { email, role: role as Role, access: access as (typeof accesses)[number] };
    const invite = await inWorkspace(workspace.id).POST('/invites', { body });
    setSent([...sent, invite]);
    await queryClient.invalidateQueries(invitesQuery(workspace.id));
  };
  return (
    <Dialog title={words('members.invite')} onClose={onClose}>
      <p>{words(isHanded ? 'members.handHint' : 'members.inviteHint')}</p>
      {/* A new key empties the form for the next person. */}
      <SessionForm key={sent.length} action={words(isHanded ? 'members.makeLink' : 'members.send')} onSubmit={invite}>
        <Field label={words('session.email')} name="email" type="email" autoComplete="off" autoFocus required />
        <RoleField />
        {hasTeams && (
          <ChoiceField
            label={words('members.access')}
            name="access"
            defaultValue="all"
            options={accesses.map((access) => [access, words(`members.access.${access}`)])}
          />
        )}
      </SessionForm>
      <p role="status">
        {last !== undefined &&
          last.link === undefined &&
          words(isFile ? 'members.written' : 'members.sent', { email: last.email })}
      </p>
      <HandedLink sent={last} />
    </Dialog>
  );
}

/** The invitations that nobody has accepted yet. */
export function Invites() {
  const { workspace } = usePlace();
  const isHanded = useHandsOver();
  const source = useQuery(invitesQuery(workspace.id));
  const [sent, setSent] = useState<Sent>();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  const here = inWorkspace(workspace.id);
  const refresh = () => queryClient.invalidateQueries(invitesQuery(workspace.id));
  const resend = async (inviteId: string) => {
    const again = await here.POST('/invites/{inviteId}/resend', { path: { inviteId } }).finally(refresh);
    setSent(again);
    if (again.link === undefined) showToast(words('members.resent'));
  };
  const revoke = (inviteId: string) => here.DELETE('/invites/{inviteId}', { path: { inviteId } }).finally(refresh);
  const inviterOf = (userId: string) => {
    const inviter = members.find((member) => member.userId === userId);
    return inviter === undefined ? '' : ` · ${words('members.invitedBy', { person: nameOf(inviter) })}`;
  };
  if (source.data?.length === 0) return null;
  return (
    <Section title={words('members.invites')} hint={words('members.invitesHint')} count={source.data?.length}>
      <HandedLink sent={sent} />
      <PagedList label={words('members.invites')} source={source} none="">
        {({ id, email, role, invitedBy, expiresAt }, onGone) => (
          <li key={id}>
            <span>
              <b>{email}</b>
              <br />
              <small>
                {words(`role.${role}`)} · {words('members.until', { time: fullTime(expiresAt) })}
                {inviterOf(invitedBy)}
              </small>
            </span>
            <Action look="quiet" aria-label={words('members.revokeOf', { email })} run={() => revoke(id).then(onGone)}>
              {words('members.revoke')}
            </Action>
            <Action
              aria-label={words(isHanded ? 'members.newLinkFor' : 'members.resendTo', { email })}
              run={() => resend(id)}
            >
              {words(isHanded ? 'members.newLink' : 'members.resend')}
            </Action>
          </li>
        )}
      </PagedList>
    </Section>
  );
}
