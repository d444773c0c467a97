import { ApiError } from '../api/client.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { signIn } from './changes.ts';
import { SessionForm } from './SessionForm.tsx';

type Props = { challenge: string; onDone: () => void; onStartOver: () => void };

/** Asks for the second-factor code that completes a sign-in or an invitation. */
export function CodeForm({ challenge, onDone, onStartOver }: Props) {
  const send = async ({ code = '' }: Record<string, string>) => {
    try {
      await signIn({ challenge, code: code.trim() });
    } catch (error) {
      // A challenge expires after some minutes. Then the person types address and password again.
      if (error instanceof ApiError && error.key === 'auth.token_invalid') return onStartOver();
      throw error;
    }
    return onDone();
  };
  return (
    <>
      <SessionForm action={words('session.signIn')} onSubmit={send}>
        <Field
          label={words('session.code')}
          name="code"
          autoComplete="one-time-code"
          maxLength={64}
          required
          autoFocus
        />
      </SessionForm>
      <Button look="quiet" onClick={onStartOver}>
        {words('session.startOver')}
      </Button>
    </>
  );
}
