import { type ComponentType, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useAskedFocus } from '../lib/asked-focus.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { SideWork } from '../shell/Sidebar.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { later } from '../ui/later.tsx';
import { type WordKey, words } from '../words/words.ts';
import { HeadPlace } from './HeadAction.tsx';
import { ManagersOnly } from './ManagersOnly.tsx';
import { useIsManager } from './manager.ts';
import { SectionsOf } from './Section.tsx';
import styles from './SettingsPage.module.css';

type Entry = {
  id: string;
  icon: IconName;
  Content: ComponentType & { preload: () => Promise<unknown> };
  /** Only owners and admins may use it. */
  isForManagers?: true;
};

/** Every page of the settings, in the order of display. Each is a chunk of its own. */
const groups: Record<'you' | 'workspace' | 'operator', readonly Entry[]> = {
  you: [
    { id: 'profile', icon: 'person', Content: later(() => import('./ProfileSettings.tsx'), 'ProfileSettings') },
    { id: 'look', icon: 'palette', Content: later(() => import('./LookSettings.tsx'), 'LookSettings') },
    {
      id: 'shortcuts',
      icon: 'keyboard',
      Content: later(() => import('./shortcuts/ShortcutSettings.tsx'), 'ShortcutSettings'),
    },
    { id: 'security', icon: 'shield', Content: later(() => import('./SecuritySettings.tsx'), 'SecuritySettings') },
    {
      id: 'notifications',
      icon: 'bell',
      Content: later(() => import('./NotificationSettings.tsx'), 'NotificationSettings'),
    },
  ],
  workspace: [
    { id: 'workspace', icon: 'building', Content: later(() => import('./WorkspaceSettings.tsx'), 'WorkspaceSettings') },
    { id: 'members', icon: 'people', Content: later(() => import('./MemberSettings.tsx'), 'MemberSettings') },
    { id: 'teams', icon: 'team', Content: later(() => import('./teams/TeamSettings.tsx'), 'TeamSettings') },
    {
      id: 'mailboxes',
      icon: 'mail',
      Content: later(() => import('./mailboxes/MailboxSettings.tsx'), 'MailboxSettings'),
    },
    { id: 'rules', icon: 'rule', Content: later(() => import('./rules/RuleSettings.tsx'), 'RuleSettings') },
    { id: 'hours', icon: 'clock', Content: later(() => import('./hours/HoursSettings.tsx'), 'HoursSettings') },
    { id: 'replies', icon: 'saved', Content: later(() => import('./replies/ReplySettings.tsx'), 'ReplySettings') },
    {
      id: 'auto-replies',
      icon: 'reply',
      Content: later(() => import('./auto-replies/AutoReplySettings.tsx'), 'AutoReplySettings'),
    },
    { id: 'surveys', icon: 'smile', Content: later(() => import('./surveys/SurveySettings.tsx'), 'SurveySettings') },
    { id: 'tags', icon: 'tag', Content: later(() => import('./tags/TagSettings.tsx'), 'TagSettings') },
    { id: 'bulk', icon: 'shared', Content: later(() => import('./bulk/BulkSettings.tsx'), 'BulkSettings') },
    { id: 'blocked', icon: 'block', Content: later(() => import('./blocked/BlockedSettings.tsx'), 'BlockedSettings') },
    {
      id: 'quarantine',
      icon: 'spam',
      Content: later(() => import('./quarantine/QuarantineSettings.tsx'), 'QuarantineSettings'),
    },
    {
      id: 'import',
      icon: 'upload',
      Content: later(() => import('./import/ImportSettings.tsx'), 'ImportSettings'),
      isForManagers: true,
    },
  ],
  operator: [
    {
      id: 'keys',
      icon: 'key',
      Content: later(() => import('./keys/KeySettings.tsx'), 'KeySettings'),
      isForManagers: true,
    },
    {
      id: 'webhooks',
      icon: 'webhook',
      Content: later(() => import('./webhooks/WebhookSettings.tsx'), 'WebhookSettings'),
      isForManagers: true,
    },
    {
      id: 'audit',
      icon: 'history',
      Content: later(() => import('./audit/AuditSettings.tsx'), 'AuditSettings'),
      isForManagers: true,
    },
  ],
};
const entries = Object.values(groups).flat();

/** The settings of the person and of the workspace. Without a section, a phone shows the links to all of them. */
export function SettingsPage({ section }: { section: string | undefined }) {
  const isManager = useIsManager();
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const shown = entries.find(({ id }) => id === section) ?? entries.find(({ id }) => id === 'look');
  useEffect(() => {
    // The next section then draws at once. A chunk that fails to load now is fetched again when it is shown.
    for (const { Content } of entries) Content.preload().catch(() => undefined);
  }, []);
  const name = words(`settings.${shown?.id}` as WordKey);
  usePageTitle(name);
  useAskedFocus(() => document.querySelector<HTMLElement>('nav [aria-current]')?.focus());
  if (shown === undefined) return null;
  const { Content } = shown;
  return (
    <div className={styles.page} data-at={section === undefined ? 'links' : 'section'}>
      <SideWork hasList={false} />
      <Sections shown={shown.id} />
      <main className={styles.sheet}>
        <div className={styles.content}>
          <header className={styles.head}>
            <Link href={paths.settings()} className={styles.back ?? ''} aria-label={words('settings.all')}>
              <Icon name="back" size={20} />
            </Link>
            <div>
              <h1>{name}</h1>
              <p>{words(`settings.lead.${shown.id}` as WordKey)}</p>
            </div>
            <span ref={setPlace} />
          </header>
          <HeadPlace value={place}>
            <SectionsOf value={name}>{shown.isForManagers && !isManager ? <ManagersOnly /> : <Content />}</SectionsOf>
          </HeadPlace>
        </div>
      </main>
    </div>
  );
}

/** Links to the sections that the person may use. */
function Sections({ shown }: { shown: string }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const names = {
    you: words('settings.group.you'),
    workspace: workspace.name,
    operator: words('settings.group.operator'),
  };
  const offered = Object.entries(groups).map(
    ([group, sections]) =>
      [
        names[group as keyof typeof names],
        sections.filter(({ isForManagers }) => isManager || !isForManagers),
      ] as const,
  );
  return (
    <nav className={styles.sections} aria-label={words('settings.title')}>
      <div className={styles.out}>
        <Link href={paths.inbox} aria-label={words('workspace.back')} title={words('workspace.back')}>
          <Icon name="back" />
        </Link>
        <span>{words('settings.title')}</span>
      </div>
      <div className={styles.groups}>
        {offered.map(
          ([group, sections]) =>
            sections.length > 0 && (
              <section key={group} aria-label={group}>
                <h2 dir="auto">{group}</h2>
                {sections.map(({ id, icon }) => (
                  <Link key={id} href={paths.settings(id)} aria-current={id === shown ? 'page' : undefined}>
                    <Icon name={icon} />
                    {words(`settings.${id}` as WordKey)}
                  </Link>
                ))}
              </section>
            ),
        )}
      </div>
    </nav>
  );
}
