import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { ApiError } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { CodeForm } from './CodeForm.tsx';
import { CredentialFields } from './CredentialFields.tsx';
import { challengeIn, signIn, signInWith } from './changes.ts';
import { DemoPeople } from './DemoPeople.tsx';
import { MailLinkForm } from './mailed/MailLinkForm.tsx';
import { nextAddress } from './next-address.ts';
import { ProviderButtons } from './ProviderButtons.tsx';
import { forgetAnswer, keepForLink, type ProviderAnswer, readAnswer } from './provider-sign-in.ts';
import { configQuery } from './queries.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

/** The step that a sign-in still needs after the password. */
type Waiting = { for: 'code'; challenge: string } | { for: 'verification'; email: string };

export function SignInPage() {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [waiting, setWaiting] = useState<Waiting>();
  const [isOver, setIsOver] = useState(false);
  const { data: config } = useQuery(configQuery);
  const enter = (to = nextAddress(search)) => navigate(to, { replace: true });
  const elsewhere = useProviderAnswer(enter, (challenge) => setWaiting({ for: 'code', challenge }));
  const send = async ({ email = '', password = '' }: Record<string, string>) => {
    setIsOver(false);
    try {
      await signIn({ email, password });
      enter();
    } catch (error) {
      if (error instanceof ApiError && error.key === 'auth.email_not_verified')
        setWaiting({ for: 'verification', email });
      else setWaiting({ for: 'code', challenge: challengeIn(error) });
    }
  };
  const startOver = () => {
    setWaiting(undefined);
    setIsOver(true);
  };
  if (config?.isFirstRun === true) return <Redirect to={paths.welcome} replace />;
  return (
    <SessionFrame
      title={words('session.signInTitle')}
      lead={words('session.lead')}
      foot={config?.registration !== 'invite' && <Link href={paths.register}>{words('session.noAccount')}</Link>}
    >
      {waiting?.for === 'code' && (
        <CodeForm challenge={waiting.challenge} onDone={() => enter()} onStartOver={startOver} />
      )}
      {waiting?.for === 'verification' && (
        <>
          <p role="alert">{words('session.notVerified')}</p>
          <MailLinkForm kind="verification" email={waiting.email} />
        </>
      )}
      {waiting === undefined && (
        <>
          {elsewhere.error !== null && <Fault error={elsewhere.error} />}
          {elsewhere.refusal !== undefined && (
            <p role="alert">{words('session.providerRefused', { reason: elsewhere.refusal })}</p>
          )}
          {isOver && <p role="status">{words('session.signInAgain')}</p>}
          {config !== undefined && <ProviderButtons providers={config.identityProviders} />}
          <SessionForm action={words('session.signIn')} onSubmit={send}>
            <CredentialFields />
          </SessionForm>
          {config?.demo && <DemoPeople demo={config.demo} onDone={() => enter()} />}
        </>
      )}
    </SessionFrame>
  );
}

/** Finishes a sign-in that began at an identity provider. @returns the error here, or the provider's refusal */
function useProviderAnswer(onDone: (to: string) => void, onChallenge: (challenge: string) => void) {
  const [answer] = useState(readAnswer);
  useEffect(forgetAnswer, []);
  const isSent = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: async ({ next, purpose: _, ...shown }: ProviderAnswer) => {
      try {
        await signInWith(shown);
        onDone(next);
      } catch (refusal) {
        onChallenge(challengeIn(refusal));
      }
    },
  });
  useEffect(() => {
    if (answer === undefined || isSent.current) return;
    isSent.current = true;
    if (answer.purpose === 'link') {
      keepForLink(answer);
      onDone(answer.next);
    } else if (!('refusal' in answer)) mutate(answer);
  }, [answer, mutate, onDone]);
  return { error, refusal: answer !== undefined && 'refusal' in answer ? answer.refusal : undefined };
}
