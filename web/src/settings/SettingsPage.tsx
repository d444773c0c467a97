import { type ComponentType, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { usePageTitle } from '../lib/page-title.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Frame } from '../shell/Frame.tsx';
import { later } from '../ui/later.tsx';
import { type WordKey, words } from '../words/words.ts';
import { ManagersOnly } from './ManagersOnly.tsx';
import { useIsManager } from './manager.ts';
import styles from './SettingsPage.module.css';

type Entry = {
  id: string;
  Content: ComponentType & { preload: () => Promise<unknown> };
  /** Only owners and admins may use it. */
  isForManagers?: true;
};

/** Every page of the settings, in the order of display. Each is a chunk of its own. */
const groups: Record<'you' | 'workspace', readonly Entry[]> = {
  you: [
    { id: 'profile', Content: later(async () => (await import('./ProfileSettings.tsx')).ProfileSettings) },
    { id: 'look', Content: later(async () => (await import('./LookSettings.tsx')).LookSettings) },
    { id: 'security', Content: later(async () => (await import('./SecuritySettings.tsx')).SecuritySettings) },
    {
      id: 'notifications',
      Content: later(async () => (await import('./NotificationSettings.tsx')).NotificationSettings),
    },
  ],
  workspace: [
    { id: 'workspace', Content: later(async () => (await import('./WorkspaceSettings.tsx')).WorkspaceSettings) },
    { id: 'members', Content: later(async () => (await import('./MemberSettings.tsx')).MemberSettings) },
    { id: 'mailboxes', Content: later(async () => (await import('./mailboxes/MailboxSettings.tsx')).MailboxSettings) },
    { id: 'replies', Content: later(async () => (await import('./replies/ReplySettings.tsx')).ReplySettings) },
    { id: 'tags', Content: later(async () => (await import('./tags/TagSettings.tsx')).TagSettings) },
    { id: 'bulk', Content: later(async () => (await import('./bulk/BulkSettings.tsx')).BulkSettings) },
    { id: 'blocked', Content: later(async () => (await import('./blocked/BlockedSettings.tsx')).BlockedSettings) },
    {
      id: 'quarantine',
      Content: later(async () => (await import('./quarantine/QuarantineSettings.tsx')).QuarantineSettings),
    },
    {
      id: 'import',
      Content: later(async () => (await import('./import/ImportSettings.tsx')).ImportSettings),
      isForManagers: true,
    },
    {
      id: 'keys',
      Content: later(async () => (await import('./KeySettings.tsx')).KeySettings),
      isForManagers: true,
    },
    {
      id: 'webhooks',
      Content: later(async () => (await import('./WebhookSettings.tsx')).WebhookSettings),
      isForManagers: true,
    },
    {
      id: 'audit',
      Content: later(async () => (await import('./audit/AuditSettings.tsx')).AuditSettings),
      isForManagers: true,
    },
  ],
};
const entries = Object.values(groups).flat();

/** The settings of the person and of the workspace. */
export function SettingsPage({ section }: { section: string }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const shown = entries.find(({ id }) => id === section) ?? entries.find(({ id }) => id === 'look');
  useEffect(() => {
    // The next section then draws at once. A chunk that fails to load now is fetched again when it is shown.
    for (const { Content } of entries) Content.preload().catch(() => undefined);
  }, []);
  const name = words(`settings.${shown?.id}` as WordKey);
  usePageTitle(name);
  if (shown === undefined) return null;
  const { Content } = shown;
  return (
    <Frame page="settings" className={styles.page ?? ''}>
      <p className={styles.where}>
        {words('settings.title')} · {workspace.name}
      </p>
      <Sections shown={shown.id} />
      <div className={styles.content}>
        <h1>{name}</h1>
        {shown.isForManagers && !isManager ? <ManagersOnly /> : <Content />}
      </div>
    </Frame>
  );
}

/** Links to the sections that the person may use; on a phone a choice, which takes less room. */
function Sections({ shown }: { shown: string }) {
  const [, navigate] = useLocation();
  const isManager = useIsManager();
  const offered = Object.entries(groups).map(
    ([group, sections]) =>
      [
        words(`settings.group.${group}` as WordKey),
        sections.filter(({ isForManagers }) => isManager || !isForManagers),
      ] as const,
  );
  const nameOf = ({ id }: Entry) => words(`settings.${id}` as WordKey);
  return (
    <>
      <nav className={styles.sections} aria-label={words('settings.title')}>
        {offered.map(([group, sections]) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            {sections.map((entry) => (
              <Link
                key={entry.id}
                href={paths.settings(entry.id)}
                aria-current={entry.id === shown ? 'page' : undefined}
              >
                {nameOf(entry)}
              </Link>
            ))}
          </section>
        ))}
      </nav>
      <select
        className={styles.choice}
        aria-label={words('settings.section')}
        value={shown}
        onChange={({ target }) => navigate(paths.settings(target.value))}
      >
        {offered.map(([group, sections]) => (
          <optgroup key={group} label={group}>
            {sections.map((entry) => (
              <option key={entry.id} value={entry.id}>
                {nameOf(entry)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  );
}
