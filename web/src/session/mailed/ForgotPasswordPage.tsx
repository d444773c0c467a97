import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { words } from '../../words/words.ts';
import { SessionFrame } from '../SessionFrame.tsx';
import { MailLinkForm } from './MailLinkForm.tsx';

export function ForgotPasswordPage() {
  return (
    <SessionFrame
      title={words('session.forgotTitle')}
      lead={words('session.forgotHint')}
      foot={<Link href={paths.signIn}>{words('session.signIn')}</Link>}
    >
      <MailLinkForm kind="password" />
    </SessionFrame>
  );
}
