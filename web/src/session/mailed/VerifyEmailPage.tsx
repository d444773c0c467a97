import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { api, dataOf } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { words } from '../../words/words.ts';
import { PasswordField } from '../PasswordField.tsx';
import { configQuery } from '../queries.ts';
import { SessionForm } from '../SessionForm.tsx';
import { SessionFrame } from '../SessionFrame.tsx';
import { MailLinkForm } from './MailLinkForm.tsx';
import { useMailedLink } from './use-mailed-link.ts';

/** The page of the link in a verification mail. Without a link it offers to send a new mail. */
export function VerifyEmailPage() {
  const registered = useHistoryState<{ email?: string } | null>()?.email;
  const hasProviders = (useQuery(configQuery).data?.identityProviders.length ?? 0) > 0;
  const { state, follow } = useMailedLink((token, { password }) => {
    const chosen = password === undefined ? { dropsPassword: true } : { password };
    return dataOf(api.POST('/v1/auth/verify-email', { body: { token, ...chosen } }));
  });
  return (
    <SessionFrame
      title={words(state === 'done' ? 'session.verifiedTitle' : 'session.verifyTitle')}
      foot={<Link href={paths.signIn}>{words('session.signIn')}</Link>}
    >
      {state === 'asked' && (
        <>
          <SessionForm action={words('session.confirm')} onSubmit={follow}>
            <p>{words('session.verifyHint')}</p>
            <PasswordField label={words('session.password')} autoFocus />
          </SessionForm>
          {hasProviders && (
            <SessionForm action={words('session.verifyWithout')} onSubmit={follow}>
              <p>{words('session.or')}</p>
            </SessionForm>
          )}
        </>
      )}
      {state === 'done' && <p role="status">{words('session.verified')}</p>}
      {state === 'dead' && (
        <>
          <p role="status">{words(registered === undefined ? 'session.linkDead' : 'session.mailed')}</p>
          <MailLinkForm kind="verification" email={registered} />
        </>
      )}
    </SessionFrame>
  );
}
