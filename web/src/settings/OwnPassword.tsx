import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';

/** The password by which a person proves who changes an account. */
export function OwnPassword() {
  return (
    <Field label={words('security.currentPassword')} name="password" type="password" autoComplete="current-password" />
  );
}
