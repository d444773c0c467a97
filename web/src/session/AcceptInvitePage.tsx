import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { CodeForm } from './CodeForm.tsx';
import { acceptInvite, challengeIn } from './changes.ts';
import { linkToken } from './link-token.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function AcceptInvitePage() {
  const [, navigate] = useLocation();
  const [token] = useState(linkToken);
  const [challenge, setChallenge] = useState<string>();
  const enter = () => navigate(paths.inbox, { replace: true });
  const accept = async ({ email = '', password = '' }: Record<string, string>) => {
    try {
      await acceptInvite({ token, email, password });
      enter();
    } catch (error) {
      setChallenge(challengeIn(error));
    }
  };
  return (
    <SessionFrame title={words('session.accept')}>
      {token === '' && <p role="alert">{words('session.linkMissing')}</p>}
      {token !== '' && challenge === undefined && (
        <>
          <p>{words('session.acceptHint')}</p>
          <SessionForm action={words('session.accept')} onSubmit={accept}>
            <Field
              label={words('session.email')}
              name="email"
              type="email"
              autoComplete="username"
              required
              autoFocus
            />
            <Field
              label={words('session.password')}
              name="password"
              type="password"
              autoComplete="new-password"
              minLength={8}
              required
            />
          </SessionForm>
        </>
      )}
      {challenge !== undefined && <CodeForm challenge={challenge} onDone={enter} />}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
