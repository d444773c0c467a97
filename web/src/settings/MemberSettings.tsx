import { useMutation, useQuery } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { InviteForm, Invites } from './Invites.tsx';
import styles from './MemberSettings.module.css';
import { useIsManager } from './manager.ts';
import { allMembersQuery, isLastOwner, type Member, nameOf, type Role, refreshMembers, roles } from './members.ts';
import { RoleChoice, useGrantable } from './RoleChoice.tsx';
import { Section } from './Section.tsx';

/** The members and invitations of the workspace. Admins and owners can change them. */
export function MemberSettings() {
  const isManager = useIsManager();
  const list = useRef<HTMLUListElement>(null);
  return (
    <>
      {isManager && <InviteForm />}
      <Members isManager={isManager} list={list} />
      {isManager && <Invites onGone={() => list.current?.focus()} />}
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

function Members({ isManager, list }: { isManager: boolean; list: RefObject<HTMLUListElement | null> }) {
  const { workspace } = usePlace();
  const { data, error, isPending, refetch } = useQuery(allMembersQuery(workspace.id));
  return (
    <Section title={words('members.title')}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {isPending && error === null && <p>{words('loading')}</p>}
      <ul ref={list} tabIndex={-1} aria-label={words('members.title')}>
        {data?.map((member) => (
          <MemberLine
            key={member.userId}
            member={member}
            isManager={isManager}
            isLast={isLastOwner(member, data)}
            onGone={() => list.current?.focus()}
          />
        ))}
      </ul>
    </Section>
  );
}

type LineProps = {
  member: Member;
  isManager: boolean;
  isLast: boolean;
  /** Takes the focus from a line that leaves. */
  onGone: () => void;
};

function MemberLine({ member, isManager, isLast, onGone }: LineProps) {
  const { workspace, userId } = usePlace();
  const grantable = useGrantable();
  const { header } = inWorkspace(workspace.id);
  const params = { path: { workspaceId: workspace.id, userId: member.userId }, header };
  const onSettled = () => refreshMembers(workspace.id);
  const change = useMutation({
    mutationFn: (role: Role) =>
      dataOf(api.PATCH('/v1/workspaces/{workspaceId}/members/{userId}', { params, body: { role } })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/v1/workspaces/{workspaceId}/members/{userId}', { params })),
    onSuccess: onGone,
    onSettled,
  });
  const fault = change.error ?? remove.error;
  const name = nameOf(member);
  const isOwn = member.userId === userId;
  const isChangeable = isManager && grantable.includes(member.role) && !isLast;
  const choose = (role: Role) => {
    // A person who gives up a right cannot take it back alone.
    if (!isOwn || window.confirm(words('members.ownRoleSure', { role: words(`role.${role}`) }))) change.mutate(role);
  };
  return (
    <li>
      <span>
        <b>{name}</b> {isOwn && words('members.you')} {member.name !== null && <small>{member.email}</small>}
        <br />
        <SignIns member={member} />
        {isManager && isLast && (
          <>
            <br />
            <small className={styles.quiet}>{words('members.lastOwner')}</small>
          </>
        )}
      </span>
      <span className={styles.actions}>
        {isChangeable ? (
          <RoleChoice
            label={words('members.roleOf', { person: name })}
            value={member.role}
            isDisabled={change.isPending}
            onChoose={choose}
          />
        ) : (
          words(`role.${member.role}`)
        )}
        {isChangeable && !isOwn && (
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

/** When a member was last here, and whether they sign in with a second factor. Only owners and admins learn it. */
function SignIns({ member: { lastSeenAt, hasSecondFactor } }: { member: Member }) {
  if (lastSeenAt === undefined || hasSecondFactor === undefined) return null;
  return (
    <small className={styles.quiet}>
      {lastSeenAt === null ? (
        words('members.notSeen')
      ) : (
        <time dateTime={lastSeenAt} title={fullTime(lastSeenAt)}>
          {words('members.seen', { time: shortTime(lastSeenAt) })}
        </time>
      )}
      {' · '}
      {words(hasSecondFactor ? 'members.factor' : 'members.noFactor')}{' '}
    </small>
  );
}
