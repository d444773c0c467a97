import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { api, dataOf } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { words } from '../../words/words.ts';
import { SessionForm } from '../SessionForm.tsx';
import { SessionFrame } from '../SessionFrame.tsx';
import { MailLinkForm } from './MailLinkForm.tsx';
import { useMailedLink } from './use-mailed-link.ts';

/** The page of the link in a verification mail. Without a link it offers to send a new mail. */
export function VerifyEmailPage() {
  const registered = useHistoryState<{ email?: string } | null>()?.email;
  const { state, follow } = useMailedLink((token) => dataOf(api.POST('/v1/auth/verify-email', { body: { token } })));
  return (
    <SessionFrame title={words(state === 'done' ? 'session.verifiedTitle' : 'session.verifyTitle')}>
      {state === 'asked' && (
        <SessionForm action={words('session.confirm')} onSubmit={follow}>
          <p>{words('session.verifyHint')}</p>
        </SessionForm>
      )}
      {state === 'done' && <p role="status">{words('session.verified')}</p>}
      {state === 'dead' && (
        <>
          <p role="status">{words(registered === undefined ? 'session.linkDead' : 'session.mailed')}</p>
          <MailLinkForm kind="verification" email={registered} />
        </>
      )}
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
