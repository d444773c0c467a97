import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { linkToken } from './link-token.ts';
import { isDeadLink, MailLinkForm } from './MailLinkForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

/** The link of a verification mail; without one, where a new mail is asked for. */
export function VerifyEmailPage() {
  const [token] = useState(linkToken);
  const registered = useHistoryState<{ email?: string } | null>()?.email;
  const verifying = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/auth/verify-email', { body: { token } })),
  });
  const { mutate } = verifying;
  const isAsked = useRef(false);
  useEffect(() => {
    // The link works once, and development renders twice.
    if (isAsked.current || token === '') return;
    isAsked.current = true;
    mutate();
  }, [mutate, token]);
  const isDead = token === '' || isDeadLink(verifying.error);
  return (
    <SessionFrame title={words(verifying.isSuccess ? 'session.verifiedTitle' : 'session.verifyTitle')}>
      {verifying.isPending && <p role="status">{words('session.verifying')}</p>}
      {verifying.isSuccess && <p role="status">{words('session.verified')}</p>}
      {verifying.error !== null && !isDead && <Fault error={verifying.error} onRetry={() => mutate()} />}
      {isDead && (
        <>
          <p role="status">{words(registered === undefined ? 'session.linkDead' : 'session.mailed')}</p>
          <MailLinkForm kind="verification" email={registered} />
        </>
      )}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
