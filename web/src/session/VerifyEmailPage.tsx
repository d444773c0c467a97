import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { linkToken } from './link-token.ts';
import { SessionFrame } from './SessionFrame.tsx';

export function VerifyEmailPage() {
  const [token] = useState(linkToken);
  const verifying = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/auth/verify-email', { body: { token } })),
  });
  // Strict mode runs effects twice, and the token works once.
  const isBegun = useRef(false);
  const { mutate } = verifying;
  useEffect(() => {
    if (token === '' || isBegun.current) return;
    isBegun.current = true;
    mutate();
  }, [token, mutate]);
  return (
    <SessionFrame title={words('app')}>
      {token === '' && <p role="alert">{words('session.linkMissing')}</p>}
      {verifying.isPending && <p role="status">{words('session.verifying')}</p>}
      {verifying.isSuccess && <p role="status">{words('session.verified')}</p>}
      {verifying.error !== null && <Fault error={verifying.error} />}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
