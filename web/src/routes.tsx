import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { NewTicketPage } from './compose/NewTicketPage.tsx';
import { InboxPage } from './inbox/InboxPage.tsx';
import { paths } from './paths.ts';
import { AcceptInvitePage } from './session/AcceptInvitePage.tsx';
import { ForgotPasswordPage } from './session/ForgotPasswordPage.tsx';
import { Guard } from './session/Guard.tsx';
import { RegisterPage } from './session/RegisterPage.tsx';
import { ResetPasswordPage } from './session/ResetPasswordPage.tsx';
import { SignInPage } from './session/SignInPage.tsx';
import { VerifyEmailPage } from './session/VerifyEmailPage.tsx';
import { WelcomePage } from './session/WelcomePage.tsx';
import { WorkspacesPage } from './session/WorkspacesPage.tsx';
import { Shell } from './shell/Shell.tsx';
import { ViewPage } from './views/ViewPage.tsx';

const SettingsPage = lazy(async () => ({ default: (await import('./settings/SettingsPage.tsx')).SettingsPage }));

/** Every address and its page. */
export function Routes() {
  return (
    <Switch>
      <Route path={paths.welcome} component={WelcomePage} />
      <Route path={paths.signIn} component={SignInPage} />
      <Route path={paths.register} component={RegisterPage} />
      <Route path={paths.verifyEmail} component={VerifyEmailPage} />
      <Route path={paths.forgotPassword} component={ForgotPasswordPage} />
      <Route path={paths.resetPassword} component={ResetPasswordPage} />
      <Route path={paths.acceptInvite} component={AcceptInvitePage} />
      <Route path={paths.workspaces}>
        <Guard>
          <WorkspacesPage />
        </Guard>
      </Route>
      <Route path={paths.settingsPattern}>
        {({ section }) => (
          <Guard>
            <Shell>
              <Suspense>
                <SettingsPage section={section} />
              </Suspense>
            </Shell>
          </Guard>
        )}
      </Route>
      <Route path={paths.viewPattern}>
        {({ viewId }) => (
          <Guard>
            <ViewPage viewId={viewId} />
          </Guard>
        )}
      </Route>
      <Route path={paths.inbox}>
        <Guard>
          <Shell>
            <InboxPage ticketNumber={null} />
          </Shell>
        </Guard>
      </Route>
      <Route path={paths.newTicket}>
        <Guard>
          <Shell>
            <NewTicketPage />
          </Shell>
        </Guard>
      </Route>
      <Route path={paths.ticketPattern}>
        {({ number }) => (
          <Guard>
            <Shell>
              <InboxPage ticketNumber={Number(number)} />
            </Shell>
          </Guard>
        )}
      </Route>
      <Route>
        <Redirect to={paths.inbox} replace />
      </Route>
    </Switch>
  );
}
