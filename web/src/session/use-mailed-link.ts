import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { linkToken } from './link-token.ts';
import { isDeadLink } from './MailLinkForm.tsx';

/** Follows the mailed link whose page is open, once. */
export function useMailedLink(follow: (token: string) => Promise<unknown>) {
  const [token] = useState(linkToken);
  const following = useMutation({ mutationFn: () => follow(token) });
  const { mutate, error } = following;
  const isAsked = useRef(false);
  useEffect(() => {
    // The link works once, and development renders twice.
    if (isAsked.current || token === '') return;
    isAsked.current = true;
    mutate();
  }, [mutate, token]);
  const isDead = token === '' || isDeadLink(error);
  return {
    isPending: following.isPending,
    isSuccess: following.isSuccess,
    isDead,
    /** A fault behind which the link may still work. */
    fault: isDead ? null : error,
    retry: () => mutate(),
  };
}
