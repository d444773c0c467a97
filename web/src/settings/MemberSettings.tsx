import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWorkspace } from '../api/client.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { useAction } from '../ui/Action.tsx';
import { Button, iconButtonLook } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { Notice } from '../ui/Notice.tsx';
import { PagedList } from '../ui/PagedList.tsx';
import { Who } from '../ui/Table.tsx';
import { words } from '../words/words.ts';
import { HeadAction } from './HeadAction.tsx';
import { InviteDialog, Invites, useHandsOver } from './Invites.tsx';
import styles from './MemberSettings.module.css';
import { useIsManager } from './manager.ts';
import { allMembersQuery, isLastOwner, type Member, nameOf, type Role, refreshMembers, roles } from './members.ts';
import { RoleChoice, useGrantable } from './RoleChoice.tsx';
import { Section } from './Section.tsx';

/** The members and invitations of the workspace. Admins and owners can change them. */
export function MemberSettings() {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const [isInviting, setIsInviting] = useState(false);
  const isHanded = useHandsOver();
  const source = useQuery(allMembersQuery(workspace.id));
  const heads = ['members.name', 'members.lastSeen', 'members.role', 'members.more'] as const;
  return (
    <>
      {isManager && (
        <HeadAction>
          <Button look="primary" onClick={() => setIsInviting(true)}>
            <Icon name="invite" />
            {words('members.invite')}
          </Button>
        </HeadAction>
      )}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {isManager && isHanded && (
        <Notice tone="warn">
          <p>{words('members.cannotSend')}</p>
        </Notice>
      )}
      <Section title={words('members.active')} count={source.data?.length}>
        <PagedList label={words('members.title')} source={source} none="" heads={heads.map((head) => words(head))}>
          {(member, onGone, members) => (
            <MemberRow
              key={member.userId}
              member={member}
              isManager={isManager}
              isLast={isLastOwner(member, members)}
              onGone={onGone}
            />
          )}
        </PagedList>
      </Section>
      {isManager && <Invites />}
      <Section title={words('members.roles')}>
        <dl className={styles.roles}>
          {roles.map((role) => (
            <div key={role}>
              <dt>{words(`role.${role}`)}</dt>
              <dd>{words(`members.role.${role}`)}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  );
}

type RowProps = {
  member: Member;
  isManager: boolean;
  isLast: boolean;
  /** Takes the focus from a row that leaves. */
  onGone: () => void;
};

function MemberRow({ member, isManager, isLast, onGone }: RowProps) {
  const { workspace, userId } = usePlace();
  const grantable = useGrantable();
  const here = inWorkspace(workspace.id);
  const path = { userId: member.userId };
  const name = nameOf(member);
  const isOwn = member.userId === userId;
  const isChangeable = isManager && grantable.includes(member.role) && !isLast;
  const change = useAction(async (role: Role) => {
    await here.PATCH('/members/{userId}', { path, body: { role } }).finally(() => void refreshMembers(workspace.id));
  });
  const limit = useAction((access: Member['access']) =>
    here.PATCH('/members/{userId}', { path, body: { access } }).finally(() => void refreshMembers(workspace.id)),
  );
  const remove = useAction(async () => {
    await here.DELETE('/members/{userId}', { path }).finally(() => void refreshMembers(workspace.id));
    onGone();
  });
  return (
    <tr>
      <td>
        <Face member={member} isOwn={isOwn} />
        {change.fault || limit.fault || remove.fault}
      </td>
      <td>
        <LastSeen at={member.lastSeenAt} />
      </td>
      <td>
        {isChangeable ? (
          <RoleChoice
            label={words('members.roleOf', { person: name })}
            value={(change.isPending ? change.value : undefined) ?? member.role}
            disabled={change.isPending}
            onChoose={(role) =>
              // A person who gives up a right cannot take it back alone.
              change.start(role, isOwn ? words('members.ownRoleSure', { role: words(`role.${role}`) }) : undefined)
            }
          />
        ) : (
          <span title={isManager && isLast ? words('members.lastOwner') : undefined}>
            {words(`role.${member.role}`)}
          </span>
        )}
      </td>
      <td>
        {isChangeable && !isOwn && (
          <More
            name={name}
            isBusy={remove.isPending || limit.isPending}
            isLimited={member.access === 'teams'}
            onLimit={member.role === 'owner' ? undefined : limit.start}
            onRemove={() => remove.start(undefined, words('members.sure', { person: name }))}
          />
        )}
      </td>
    </tr>
  );
}

function Face({ member, isOwn }: { member: Member; isOwn: boolean }) {
  const name = nameOf(member);
  return (
    <Who
      face={{ name, of: member.userId }}
      name={
        <>
          <span>{name}</span> {isOwn && <small className={styles.you}>{words('members.you')}</small>}
        </>
      }
      detail={
        <>
          <span>{member.name !== null && member.email}</span>{' '}
          {member.access === 'teams' && <span>{words('members.access.teams')}</span>}{' '}
          {member.hasSecondFactor !== undefined && (
            <span>{words(member.hasSecondFactor ? 'members.factor' : 'members.noFactor')}</span>
          )}
        </>
      }
    />
  );
}

type MoreProps = {
  name: string;
  isBusy: boolean;
  /** Whether the member sees only tickets of their teams. */
  isLimited: boolean;
  onLimit: ((access: Member['access']) => void) | undefined;
  onRemove: () => void;
};

function More({ name, isBusy, isLimited, onLimit, onRemove }: MoreProps) {
  const text = words('members.removeNamed', { person: name });
  const limit = {
    ...{ id: 'limit', icon: 'team' as const, text: words(isLimited ? 'members.unlimit' : 'members.limit') },
    run: () => onLimit?.(isLimited ? 'all' : 'teams'),
  };
  return (
    <MenuButton
      label={words('members.moreOf', { person: name })}
      aria-label={words('members.moreOf', { person: name })}
      className={iconButtonLook}
      disabled={isBusy}
      items={() => [
        ...(onLimit === undefined ? [] : [[limit]]),
        [{ id: 'remove', text, icon: 'trash', isDanger: true, run: onRemove }],
      ]}
    >
      <Icon name="more" />
    </MenuButton>
  );
}

/** Only owners and admins learn it. */
function LastSeen({ at }: { at: string | null | undefined }) {
  if (at === undefined) return null;
  if (at === null) return words('members.notSeen');
  return (
    <time dateTime={at} title={fullTime(at)}>
      {shortTime(at)}
    </time>
  );
}
