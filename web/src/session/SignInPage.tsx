import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { CodeForm } from './CodeForm.tsx';
import { challengeIn, signIn } from './changes.ts';
import { DemoPeople } from './DemoPeople.tsx';
import { configQuery } from './queries.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function SignInPage() {
  const [, navigate] = useLocation();
  const [challenge, setChallenge] = useState<string>();
  const enter = () => navigate(paths.inbox, { replace: true });
  const send = async ({ email = '', password = '' }: Record<string, string>) => {
    try {
      await signIn({ email, password });
      enter();
    } catch (error) {
      setChallenge(challengeIn(error));
    }
  };
  const { data: config } = useQuery(configQuery);
  return (
    <SessionFrame title={words('session.signIn')}>
      {config?.demo && <DemoPeople demo={config.demo} onDone={enter} />}
      {challenge === undefined ? (
        <SessionForm action={words('session.signIn')} onSubmit={send}>
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
        <CodeForm challenge={challenge} onDone={enter} />
      )}
      <Link href={paths.forgotPassword}>{words('session.forgot')}</Link>
      <Link href={paths.register}>{words('session.noAccount')}</Link>
    </SessionFrame>
  );
}
