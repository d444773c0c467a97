import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { signIn } from './changes.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function SignInPage() {
  const [, navigate] = useLocation();
  const [challenge, setChallenge] = useState<string>();
  const enter = async (shown: Parameters<typeof signIn>[0]) => {
    try {
      await signIn(shown);
      navigate(paths.inbox, { replace: true });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A challenge that ran out begins anew with the password.
      if (error.key === 'auth.token_invalid') setChallenge(undefined);
      if (error.key !== 'auth.second_factor_required') throw error;
      setChallenge(String(error.params.challenge));
    }
  };
  return (
    <SessionFrame title={words('session.signIn')}>
      {challenge === undefined ? (
        <SessionForm
          action={words('session.signIn')}
          onSubmit={({ email = '', password = '' }) => enter({ email, password })}
        >
          <Field label={words('session.email')} name="email" type="email" autoComplete="username" required autoFocus />
          <Field
            label={words('session.password')}
            name="password"
            type="password"
            autoComplete="current-password"
            required
          />
        </SessionForm>
      ) : (
        <SessionForm action={words('session.signIn')} onSubmit={({ code = '' }) => enter({ challenge, code })}>
          <Field label={words('session.code')} name="code" autoComplete="one-time-code" required autoFocus />
        </SessionForm>
      )}
      <Link href={paths.forgotPassword}>{words('session.forgot')}</Link>
      <Link href={paths.register}>{words('session.noAccount')}</Link>
    </SessionFrame>
  );
}
