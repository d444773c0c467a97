import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { NewTicketPage } from './compose/NewTicketPage.tsx';
import { InboxPage } from './inbox/InboxPage.tsx';
import { paths } from './paths.ts';
import { Guard } from './session/Guard.tsx';
import { SignInPage } from './session/SignInPage.tsx';
import { Shell } from './shell/Shell.tsx';
import { ViewPage } from './views/ViewPage.tsx';

const AccountRoutes = lazy(async () => ({ default: (await import('./session/AccountRoutes.tsx')).AccountRoutes }));
const SettingsPage = lazy(async () => ({ default: (await import('./settings/SettingsPage.tsx')).SettingsPage }));

const accountPaths = [
  paths.welcome,
  paths.register,
  paths.verifyEmail,
  paths.forgotPassword,
  paths.resetPassword,
  paths.acceptInvite,
  paths.workspaces,
];

/** Every address and its page. */
export function Routes() {
  return (
    <Suspense>
      <Switch>
        <Route path={paths.signIn} component={SignInPage} />
        {accountPaths.map((path) => (
          <Route key={path} path={path} component={AccountRoutes} />
        ))}
        <Route path={paths.settingsPattern}>
          {({ section }) => (
            <Guard>
              <Shell>
                <SettingsPage section={section} />
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
    </Suspense>
  );
}
