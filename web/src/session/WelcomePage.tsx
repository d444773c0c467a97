import { useQuery } from '@tanstack/react-query';
import { Redirect, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { register, signIn } from './changes.ts';
import { PasswordField } from './PasswordField.tsx';
import { configQuery } from './queries.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

/** The first page of a new installation, available until the first account exists. */
export function WelcomePage() {
  const [, navigate] = useLocation();
  const { data: config, isPending } = useQuery(configQuery);
  const begin = async ({ email = '', password = '', name = '', workspaceName = '' }: Record<string, string>) => {
    const mustVerify = await register({ email, password, name, workspaceName });
    if (mustVerify) return navigate(paths.verifyEmail, { state: { email } });
    await signIn({ email, password });
    return navigate(paths.inbox, { replace: true });
  };
  if (isPending) return null;
  if (config?.isFirstRun === false) return <Redirect to={paths.signIn} replace />;
  return (
    <SessionFrame title={words('welcome.title')} lead={words('welcome.intro')}>
      <SessionForm action={words('welcome.begin')} onSubmit={begin}>
        <Field label={words('session.name')} name="name" autoComplete="name" required autoFocus />
        <Field label={words('session.email')} name="email" type="email" autoComplete="username" required />
        <PasswordField label={words('session.password')} />
        <Field label={words('session.workspace')} name="workspaceName" autoComplete="organization" required />
      </SessionForm>
    </SessionFrame>
  );
}
