import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { ShownPassword } from './PasswordField.tsx';

/** Email address and password of an account. */
export function CredentialFields() {
  return (
    <>
      <Field label={words('session.email')} name="email" type="email" autoComplete="username" required autoFocus />
      <ShownPassword
        label={words('session.password')}
        name="password"
        autoComplete="current-password"
        required
        beside={<Link href={paths.forgotPassword}>{words('session.forgot')}</Link>}
      />
    </>
  );
}
