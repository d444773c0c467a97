import { useQuery } from '@tanstack/react-query';
import { Link, Redirect, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { register, signIn } from './changes.ts';
import { PasswordField } from './PasswordField.tsx';
import { configQuery } from './queries.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function RegisterPage() {
  const [, navigate] = useLocation();
  const { data: config, isPending } = useQuery(configQuery);
  const make = async ({ email = '', password = '', name = '', workspaceName = '' }: Record<string, string>) => {
    const mustVerify = await register({
      email,
      password,
      ...(name === '' ? {} : { name }),
      ...(workspaceName === '' ? {} : { workspaceName }),
    });
    if (mustVerify) return navigate(paths.verifyEmail, { state: { email } });
    await signIn({ email, password });
    return navigate(paths.inbox, { replace: true });
  };
  if (isPending) return null;
  if (config?.isFirstRun === true) return <Redirect to={paths.welcome} replace />;
  return (
    <SessionFrame
      title={words('session.register')}
      lead={words('session.lead')}
      foot={<Link href={paths.signIn}>{words('session.haveAccount')}</Link>}
    >
      {config?.registration === 'invite' ? (
        <p>{words('session.inviteOnly')}</p>
      ) : (
        <SessionForm action={words('session.register')} onSubmit={make}>
          <Field label={words('session.name')} name="name" autoComplete="name" autoFocus />
          <Field label={words('session.email')} name="email" type="email" autoComplete="username" required />
          <PasswordField label={words('session.password')} />
          <Field label={words('session.workspace')} name="workspaceName" autoComplete="organization" />
        </SessionForm>
      )}
    </SessionFrame>
  );
}
