import { Route, Switch } from 'wouter';
import { paths } from '../paths.ts';
import { AcceptInvitePage } from './mailed/AcceptInvitePage.tsx';
import { ConfirmEmailPage } from './mailed/ConfirmEmailPage.tsx';
import { ForgotPasswordPage } from './mailed/ForgotPasswordPage.tsx';
import { ResetPasswordPage } from './mailed/ResetPasswordPage.tsx';
import { VerifyEmailPage } from './mailed/VerifyEmailPage.tsx';
import { RegisterPage } from './RegisterPage.tsx';
import { SignInPage } from './SignInPage.tsx';
import { WelcomePage } from './WelcomePage.tsx';

/** The pages of people who are not signed in. */
export function AccountRoutes() {
  return (
    <Switch>
      <Route path={paths.signIn} component={SignInPage} />
      <Route path={paths.welcome} component={WelcomePage} />
      <Route path={paths.register} component={RegisterPage} />
      <Route path={paths.verifyEmail} component={VerifyEmailPage} />
      <Route path={paths.forgotPassword} component={ForgotPasswordPage} />
      <Route path={paths.resetPassword} component={ResetPasswordPage} />
      <Route path={paths.confirmEmail} component={ConfirmEmailPage} />
      <Route path={paths.acceptInvite} component={AcceptInvitePage} />
    </Switch>
  );
}
