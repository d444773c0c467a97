import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { answerSignedOut, type SignedOut } from '../api/signed-out.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { CodeForm } from './CodeForm.tsx';
import { challengeIn, signInAgain } from './changes.ts';
import { meQuery } from './queries.ts';
import { SessionForm } from './SessionForm.tsx';
import styles from './SignInAgain.module.css';

type Props = { why: SignedOut; user: { id: string; email: string } };

/** Asks for the password over the page, and says why. The page stays as it is, and goes on afterwards. */
export function SignInAgain({ why, user }: Props) {
  const [challenge, setChallenge] = useState<string>();
  const send = async ({ password = '' }: Record<string, string>) => {
    try {
      await signInAgain({ email: user.email, password });
      answerSignedOut(true);
    } catch (error) {
      setChallenge(challengeIn(error));
    }
  };
  /** Fails the requests that wait, so that the page leads to the sign-in, where the other ways are. */
  const goElsewhere = () => {
    answerSignedOut(false);
    void queryClient.invalidateQueries(meQuery);
  };
  return (
    <Dialog title={words('again.title')} className={styles.dialog}>
      <p>{words(`again.${why}`)}</p>
      {challenge === undefined ? (
        <SessionForm action={words('session.signIn')} onSubmit={send}>
          <Field
            label={words('session.email')}
            name="email"
            type="email"
            autoComplete="username"
            readOnly
            value={user.email}
          />
          <Field
            label={words('session.password')}
            name="password"
            type="password"
            autoComplete="current-password"
            required
            autoFocus
          />
        </SessionForm>
      ) : (
        <CodeForm
          challenge={challenge}
          onDone={() => answerSignedOut(true)}
          onStartOver={() => setChallenge(undefined)}
        />
      )}
      <Button look="quiet" onClick={goElsewhere}>
        {words('again.elsewhere')}
      </Button>
    </Dialog>
  );
}
