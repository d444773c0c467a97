import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { register, signIn } from './changes.ts';
import { configQuery } from './queries.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function RegisterPage() {
  const [, navigate] = useLocation();
  const config = useQuery(configQuery);
  const [isMailed, setIsMailed] = useState(false);
  const make = async ({ email = '', password = '', name = '', workspaceName = '' }: Record<string, string>) => {
    const mustVerify = await register({
      email,
      password,
      ...(name === '' ? {} : { name }),
      ...(workspaceName === '' ? {} : { workspaceName }),
    });
    if (mustVerify) {
      setIsMailed(true);
      return;
    }
    await signIn({ email, password });
    navigate(paths.inbox, { replace: true });
  };
  return (
    <SessionFrame title={words('session.register')}>
      {isMailed ? (
        <p role="status">{words('session.mailed')}</p>
      ) : (
        <SessionForm action={words('session.register')} onSubmit={make}>
          <Field label={words('session.name')} name="name" autoComplete="name" autoFocus />
          <Field label={words('session.email')} name="email" type="email" autoComplete="username" required />
          <Field
            label={words('session.password')}
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={8}
            required
          />
          <Field label={words('session.workspace')} name="workspaceName" autoComplete="organization" />
        </SessionForm>
      )}
      {config.data?.isFirstRun !== true && <Link href={paths.signIn}>{words('session.haveAccount')}</Link>}
    </SessionFrame>
  );
}
