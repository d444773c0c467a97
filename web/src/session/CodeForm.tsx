import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { signIn } from './changes.ts';
import { SessionForm } from './SessionForm.tsx';

type Props = { challenge: string; onDone: () => void };

/** Asks for the code of the second factor that a sign-in, or an invitation, waits for. */
export function CodeForm({ challenge, onDone }: Props) {
  const send = async ({ code = '' }: Record<string, string>) => {
    await signIn({ challenge, code });
    onDone();
  };
  return (
    <SessionForm action={words('session.signIn')} onSubmit={send}>
      <Field label={words('session.code')} name="code" autoComplete="one-time-code" required autoFocus />
    </SessionForm>
  );
}
