import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { api, dataOf } from '../api/client.ts';
import { paths } from '../paths.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { MailLinkForm } from './MailLinkForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';
import { useMailedLink } from './use-mailed-link.ts';

/** The link of a verification mail; without one, where a new mail is asked for. */
export function VerifyEmailPage() {
  const registered = useHistoryState<{ email?: string } | null>()?.email;
  const link = useMailedLink((token) => dataOf(api.POST('/v1/auth/verify-email', { body: { token } })));
  return (
    <SessionFrame title={words(link.isSuccess ? 'session.verifiedTitle' : 'session.verifyTitle')}>
      {link.isPending && <p role="status">{words('session.verifying')}</p>}
      {link.isSuccess && <p role="status">{words('session.verified')}</p>}
      {link.fault !== null && <Fault error={link.fault} onRetry={link.retry} />}
      {link.isDead && (
        <>
          <p role="status">{words(registered === undefined ? 'session.linkDead' : 'session.mailed')}</p>
          <MailLinkForm kind="verification" email={registered} />
        </>
      )}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
