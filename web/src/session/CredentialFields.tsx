import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';

/** Email address and password. @param isNew whether they may create an account */
export function CredentialFields({ isNew = false }: { isNew?: boolean }) {
  return (
    <>
      <Field label={words('session.email')} name="email" type="email" autoComplete="username" required autoFocus />
      <Field
        label={words('session.password')}
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        minLength={isNew ? 8 : undefined}
        required
      />
    </>
  );
}
