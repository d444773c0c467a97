import { useState } from 'react';
import { Link } from 'wouter';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { linkToken } from './link-token.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

export function ResetPasswordPage() {
  const [token] = useState(linkToken);
  const [isSet, setIsSet] = useState(false);
  const set = async ({ password = '' }: Record<string, string>) => {
    await dataOf(api.POST('/v1/auth/reset-password', { body: { token, password } }));
    setIsSet(true);
  };
  return (
    <SessionFrame title={words('session.forgotTitle')}>
      {isSet && <p role="status">{words('session.passwordSet')}</p>}
      {!isSet && token === '' && <p role="alert">{words('session.linkMissing')}</p>}
      {!isSet && token !== '' && (
        <SessionForm action={words('session.forgotTitle')} onSubmit={set}>
          <Field
            label={words('session.newPassword')}
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={8}
            required
            autoFocus
          />
        </SessionForm>
      )}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
