import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, api, dataOf } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { CodeForm } from '../CodeForm.tsx';
import { acceptInvite, acceptOwnInvite, challengeIn } from '../changes.ts';
import { signOut } from '../forget.ts';
import { PasswordField } from '../PasswordField.tsx';
import { meQuery } from '../queries.ts';
import { SessionForm } from '../SessionForm.tsx';
import { SessionFrame } from '../SessionFrame.tsx';
import { useLinkToken } from './link-token.ts';
import { isDeadLink } from './MailLinkForm.tsx';

/** Accepts an invitation with the signed-in account, another account, or a new account. */
export function AcceptInvitePage() {
  const [, navigate] = useLocation();
  const token = useLinkToken();
  const [challenge, setChallenge] = useState<string>();
  const [isDead, setIsDead] = useState(token === '');
  // A failure only means that the form below asks for an account, so there is no retry.
  const me = useQuery({ ...meQuery, retry: false });
  const invite = useQuery({
    queryKey: ['invite', token],
    queryFn: () => dataOf(api.POST('/v1/auth/read-invite', { body: { token } })),
    enabled: token !== '',
    retry: (count, error) => count < 3 && !isDeadLink(error),
  });
  const enter = () => navigate(paths.inbox, { replace: true });
  const accept = async ({ email = '', password = '', name = '' }: Record<string, string>) => {
    try {
      await acceptInvite({ token, email, password, ...(name === '' ? {} : { name }) });
      enter();
    } catch (error) {
      if (isDeadLink(error as Error)) setIsDead(true);
      else setChallenge(challengeIn(error));
    }
  };
  const isVoid = isDead || isDeadLink(invite.error);
  const isAsked = !isVoid && challenge === undefined && invite.data !== undefined;
  return (
    <SessionFrame title={words('session.accept')} foot={<Link href={paths.signIn}>{words('session.signIn')}</Link>}>
      {isVoid && <p role="alert">{words('session.inviteDead')}</p>}
      {!isVoid && invite.error !== null && <Fault error={invite.error} onRetry={() => void invite.refetch()} />}
      {isAsked && (
        <p>{words('session.invitedTo', { person: invite.data.inviter, workspace: invite.data.workspaceName })}</p>
      )}
      {isAsked && me.data !== undefined && (
        <OwnAccount token={token} email={me.data.user.email} onDone={enter} onDead={() => setIsDead(true)} />
      )}
      {isAsked && me.data === undefined && !me.isPending && (
        <>
          <p>{words('session.acceptHint')}</p>
          <SessionForm action={words('session.accept')} onSubmit={accept}>
            <Field label={words('session.email')} name="email" type="email" value={invite.data.email} readOnly />
            <PasswordField label={words('session.password')} autoFocus />
            <Field label={words('session.nameIfNew')} name="name" autoComplete="name" />
          </SessionForm>
        </>
      )}
      {challenge !== undefined && (
        <CodeForm challenge={challenge} onDone={enter} onStartOver={() => setChallenge(undefined)} />
      )}
    </SessionFrame>
  );
}

type OwnProps = { token: string; email: string; onDone: () => void; onDead: () => void };

function OwnAccount({ token, email, onDone, onDead }: OwnProps) {
  const accepting = useMutation({
    mutationFn: () => acceptOwnInvite(token),
    onSuccess: onDone,
    onError: (error) => isDeadLink(error) && onDead(),
  });
  const leaving = useMutation({ mutationFn: signOut });
  const isOther = accepting.error instanceof ApiError && accepting.error.key === 'invite.address_mismatch';
  return (
    <>
      <p>{words('session.signedInAs', { email })}</p>
      {accepting.error !== null && <Fault error={accepting.error} />}
      {!isOther && (
        <Button look="primary" autoFocus disabled={accepting.isPending} onClick={() => accepting.mutate()}>
          {words('session.acceptAs', { email })}
        </Button>
      )}
      <Button disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        {words('session.otherAccount')}
      </Button>
    </>
  );
}
