import { useState } from 'react';
import { Link } from 'wouter';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function ForgotPasswordPage() {
  const [isSent, setIsSent] = useState(false);
  const send = async ({ email = '' }: Record<string, string>) => {
    await dataOf(api.POST('/v1/auth/forgot-password', { body: { email } }));
    setIsSent(true);
  };
  return (
    <SessionFrame title={words('session.forgotTitle')}>
      {isSent ? (
        <p role="status">{words('session.linkSent')}</p>
      ) : (
        <SessionForm action={words('session.sendLink')} onSubmit={send}>
          <Field label={words('session.email')} name="email" type="email" autoComplete="username" required autoFocus />
        </SessionForm>
      )}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
