import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { linkToken } from './link-token.ts';
import { isDeadLink } from './MailLinkForm.tsx';
import { meQuery } from './queries.ts';
import { SessionFrame } from './SessionFrame.tsx';

/** The link that was mailed to the new address of an account. */
export function ConfirmEmailPage() {
  const [token] = useState(linkToken);
  const confirming = useMutation({
    mutationFn: () => dataOf(api.POST('/v1/auth/confirm-email', { body: { token } })),
    onSuccess: () => queryClient.invalidateQueries(meQuery),
  });
  const { mutate } = confirming;
  const isAsked = useRef(false);
  useEffect(() => {
    // The link works once, and development renders twice.
    if (isAsked.current || token === '') return;
    isAsked.current = true;
    mutate();
  }, [mutate, token]);
  const isDead = token === '' || isDeadLink(confirming.error);
  return (
    <SessionFrame title={words('session.confirmTitle')}>
      {confirming.isPending && <p role="status">{words('session.confirming')}</p>}
      {confirming.isSuccess && <p role="status">{words('session.confirmed')}</p>}
      {confirming.error !== null && !isDead && <Fault error={confirming.error} onRetry={() => mutate()} />}
      {isDead && <p role="status">{words('session.confirmDead')}</p>}
      <Link href={paths.settings('profile')}>{words('session.goOn')}</Link>
    </SessionFrame>
  );
}
