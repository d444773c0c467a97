import { useState } from 'react';
import { ApiError, api, dataOf } from '../../api/client.ts';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { SessionForm } from '../SessionForm.tsx';

type Props = { kind: 'verification' | 'password'; email?: string | undefined };

/** A link works once, and for a limited time. */
export const isDeadLink = (error: Error | null) => error instanceof ApiError && error.key === 'auth.link_expired';

/** Mails a new link. The answer is the same for every address, so that it does not reveal who has an account. */
export function MailLinkForm({ kind, email: given }: Props) {
  const [isSent, setIsSent] = useState(false);
  const send = async ({ email = '' }: Record<string, string>) => {
    const path = kind === 'password' ? '/v1/auth/forgot-password' : '/v1/auth/resend-verification';
    await dataOf(api.POST(path, { body: { email } }));
    setIsSent(true);
  };
  if (isSent) return <p role="status">{words('session.linkSent')}</p>;
  return (
    <SessionForm action={words(kind === 'password' ? 'session.sendLink' : 'session.resend')} onSubmit={send}>
      <Field
        label={words('session.email')}
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={given}
        required
        autoFocus={given === undefined}
      />
    </SessionForm>
  );
}
