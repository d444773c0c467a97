import { Link } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { meQuery } from './queries.ts';
import { SessionFrame } from './SessionFrame.tsx';
import { useMailedLink } from './use-mailed-link.ts';

/** The link that was mailed to the new address of an account. */
export function ConfirmEmailPage() {
  const link = useMailedLink(async (token) => {
    await dataOf(api.POST('/v1/auth/confirm-email', { body: { token } }));
    await queryClient.invalidateQueries(meQuery);
  });
  return (
    <SessionFrame title={words('session.confirmTitle')}>
      {link.isPending && <p role="status">{words('session.confirming')}</p>}
      {link.isSuccess && <p role="status">{words('session.confirmed')}</p>}
      {link.fault !== null && <Fault error={link.fault} onRetry={link.retry} />}
      {link.isDead && <p role="status">{words('session.confirmDead')}</p>}
      <Link href={paths.settings('profile')}>{words('session.goOn')}</Link>
    </SessionFrame>
  );
}
