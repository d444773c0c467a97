import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';

/** E-mail address and password. @param isNew the account may be made with them */
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
