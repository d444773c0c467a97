import { Link } from 'wouter';
import { api, dataOf } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { words } from '../../words/words.ts';
import { PasswordField } from '../PasswordField.tsx';
import { SessionForm } from '../SessionForm.tsx';
import { SessionFrame } from '../SessionFrame.tsx';
import { MailLinkForm } from './MailLinkForm.tsx';
import { useMailedLink } from './use-mailed-link.ts';

export function ResetPasswordPage() {
  const { state, follow } = useMailedLink((token, { password = '', removes }) =>
    dataOf(api.POST('/v1/auth/reset-password', { body: { token, password, keepsAccess: removes === undefined } })),
  );
  return (
    <SessionFrame
      title={words('session.forgotTitle')}
      foot={<Link href={paths.signIn}>{words('session.signIn')}</Link>}
    >
      {state === 'done' && <p role="status">{words('session.passwordSet')}</p>}
      {state === 'asked' && (
        <SessionForm action={words('session.forgotTitle')} onSubmit={follow}>
          <PasswordField label={words('session.newPassword')} autoFocus />
          <Checkbox name="removes" defaultChecked>
            {words('session.resetRemoves')}
          </Checkbox>
        </SessionForm>
      )}
      {state === 'dead' && (
        <>
          <p role="alert">{words('session.linkDead')}</p>
          <MailLinkForm kind="password" />
        </>
      )}
    </SessionFrame>
  );
}
