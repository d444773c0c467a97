import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';

/** The current password, which confirms a change of the account. */
export function OwnPassword() {
  return (
    <Field label={words('security.currentPassword')} name="password" type="password" autoComplete="current-password" />
  );
}
