import { Redirect, Route, Switch } from 'wouter';
import { InboxPage } from './inbox/InboxPage.tsx';
import { paths } from './paths.ts';
import { AccountPages } from './session/account-pages.ts';
import { Guard } from './session/Guard.tsx';
import { Shell } from './shell/Shell.tsx';
import { later } from './ui/later.tsx';
import { ViewPage } from './views/ViewPage.tsx';
import { loadSettingsWords } from './words/words.ts';

const WorkspacesPage = later(async () => (await import('./session/WorkspacesPage.tsx')).WorkspacesPage);
const NewTicketPage = later(async () => (await import('./compose/NewTicketPage.tsx')).NewTicketPage);
const UndeliveredPage = later(async () => (await import('./undelivered/UndeliveredPage.tsx')).UndeliveredPage);
const SettingsPage = later(async () => {
  const [{ SettingsPage }] = await Promise.all([import('./settings/SettingsPage.tsx'), loadSettingsWords()]);
  return SettingsPage;
});

const accountPaths: readonly string[] = [
  paths.signIn,
  paths.welcome,
  paths.register,
  paths.verifyEmail,
  paths.forgotPassword,
  paths.resetPassword,
  paths.confirmEmail,
  paths.acceptInvite,
];

/** Fetches the chunk of the page at an address. Pages not listed here are part of the first chunk. */
export async function preloadPage(address: string): Promise<void> {
  if (accountPaths.includes(address)) await AccountPages.preload();
  if (address === paths.workspaces) await WorkspacesPage.preload();
  if (address === paths.newTicket) await NewTicketPage.preload();
  if (address === paths.undelivered) await UndeliveredPage.preload();
  if (address.startsWith(paths.settings(''))) await SettingsPage.preload();
}

/** Every address and its page. */
export function Routes() {
  return (
    <Switch>
      {accountPaths.map((path) => (
        <Route key={path} path={path} component={AccountPages} />
      ))}
      <Route path={paths.workspaces}>
        <Guard>
          <WorkspacesPage />
        </Guard>
      </Route>
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
      <Route path={paths.undelivered}>
        <Guard>
          <Shell>
            <UndeliveredPage />
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
