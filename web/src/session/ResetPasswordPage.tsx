import { useState } from 'react';
import { Link } from 'wouter';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { words } from '../words/words.ts';
import { linkToken } from './link-token.ts';
import { isDeadLink, MailLinkForm } from './MailLinkForm.tsx';
import { PasswordField } from './PasswordField.tsx';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

type State = 'asked' | 'set' | 'dead';

export function ResetPasswordPage() {
  const [token] = useState(linkToken);
  const [state, setState] = useState<State>(token === '' ? 'dead' : 'asked');
  const set = async ({ password = '' }: Record<string, string>) => {
    try {
      await dataOf(api.POST('/v1/auth/reset-password', { body: { token, password } }));
      setState('set');
    } catch (error) {
      if (!isDeadLink(error as Error)) throw error;
      setState('dead');
    }
  };
  return (
    <SessionFrame title={words('session.forgotTitle')}>
      {state === 'set' && <p role="status">{words('session.passwordSet')}</p>}
      {state === 'asked' && (
        <SessionForm action={words('session.forgotTitle')} onSubmit={set}>
          <PasswordField label={words('session.newPassword')} autoFocus />
        </SessionForm>
      )}
      {state === 'dead' && (
        <>
          <p role="alert">{words('session.linkDead')}</p>
          <MailLinkForm kind="password" />
        </>
      )}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
