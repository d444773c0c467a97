import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { words } from '../../words/words.ts';
import { SessionFrame } from '../SessionFrame.tsx';
import { MailLinkForm } from './MailLinkForm.tsx';

export function ForgotPasswordPage() {
  return (
    <SessionFrame title={words('session.forgotTitle')}>
      <p>{words('session.forgotHint')}</p>
      <MailLinkForm kind="password" />
      <Link href={paths.signIn}>{words('session.signIn')}</Link>
    </SessionFrame>
  );
}
