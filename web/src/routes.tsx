import type { ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { LaterNewTicket } from './compose/new-ticket/LaterNewTicket.ts';
import { InboxPage } from './inbox/InboxPage.tsx';
import { paths } from './paths.ts';
import { AccountPages } from './session/account-pages.ts';
import { Guard } from './session/Guard.tsx';
import { Shell } from './shell/Shell.tsx';
import { LaterPane } from './ticket/LaterPane.tsx';
import { useLocale } from './ui/language.ts';
import { later } from './ui/later.tsx';
import { ViewPage } from './views/ViewPage.tsx';
import { loadWords } from './words/words.ts';

const WorkspacesPage = later(() => import('./session/WorkspacesPage.tsx'), 'WorkspacesPage');
const ContactsPage = later(() => import('./contacts/ContactsPage.tsx'), 'ContactsPage');
const ContactPage = later(() => import('./contacts/ContactPage.tsx'), 'ContactPage');
const DraftsPage = later(() => import('./drafts/DraftsPage.tsx'), 'DraftsPage');
const UndeliveredPage = later(() => import('./undelivered/UndeliveredPage.tsx'), 'UndeliveredPage');
const ScheduledPage = later(() => import('./scheduled/ScheduledPage.tsx'), 'ScheduledPage');
const ReportsPage = later(async () => {
  const [{ ReportsPage }] = await Promise.all([import('./reports/ReportsPage.tsx'), loadWords('reports')]);
  return { ReportsPage };
}, 'ReportsPage');
const SettingsPage = later(async () => {
  const [{ SettingsPage }] = await Promise.all([import('./settings/SettingsPage.tsx'), loadWords('settings')]);
  return { SettingsPage };
}, 'SettingsPage');

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
  if (address.startsWith(paths.tickets)) await LaterPane.preload();
  if (address === paths.newTicket) await LaterNewTicket.preload();
  if (address === paths.drafts) await DraftsPage.preload();
  if (address === paths.undelivered) await UndeliveredPage.preload();
  if (address === paths.scheduled) await ScheduledPage.preload();
  if (address === paths.reportsPattern) await ReportsPage.preload();
  if (address === paths.contacts()) await ContactsPage.preload();
  if (address.startsWith(paths.contact(''))) await ContactPage.preload();
  if (address.startsWith(paths.settings())) await SettingsPage.preload();
}

/** A page of a workspace. */
function Framed({ children }: { children: ReactNode }) {
  return (
    <Guard>
      <Shell>{children}</Shell>
    </Guard>
  );
}

/** The pages of a workspace whose address has no parameter. */
const framedPages = [
  [paths.drafts, DraftsPage],
  [paths.undelivered, UndeliveredPage],
  [paths.scheduled, ScheduledPage],
  [paths.reportsPattern, ReportsPage],
  [paths.contactsPattern, ContactsPage],
] as const;

/** Every address and its page. */
export function Routes() {
  useLocale();
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
          <Framed>
            <SettingsPage section={section} />
          </Framed>
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
        <Framed>
          <InboxPage ticketNumber={null} />
        </Framed>
      </Route>
      <Route path={paths.newTicket}>
        <Framed>
          <InboxPage ticketNumber={null} isNew />
        </Framed>
      </Route>
      {framedPages.map(([path, Page]) => (
        <Route key={path} path={path}>
          <Framed>
            <Page />
          </Framed>
        </Route>
      ))}
      <Route path={paths.contactPattern}>
        {({ contactId }) => (
          <Framed>
            <ContactPage key={contactId} contactId={contactId} />
          </Framed>
        )}
      </Route>
      <Route path={paths.ticketPattern}>
        {({ number }) => (
          <Framed>
            <InboxPage ticketNumber={Number(number)} />
          </Framed>
        )}
      </Route>
      <Route>
        <Redirect to={paths.inbox} replace />
      </Route>
    </Switch>
  );
}
