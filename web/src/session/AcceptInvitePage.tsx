import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { acceptInvite } from './changes.ts';
import { linkToken } from './link-token.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function AcceptInvitePage() {
  const [, navigate] = useLocation();
  const [token] = useState(linkToken);
  const accept = async ({ email = '', password = '' }: Record<string, string>) => {
    await acceptInvite({ token, email, password });
    navigate(paths.inbox, { replace: true });
  };
  return (
    <SessionFrame title={words('session.accept')}>
      {token === '' ? (
        <p role="alert">{words('session.linkMissing')}</p>
      ) : (
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
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
