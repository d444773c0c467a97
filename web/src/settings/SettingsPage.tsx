import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePageTitle } from '../lib/page-title.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Sidebar, sidebarId } from '../shell/Sidebar.tsx';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { type WordKey, words } from '../words/words.ts';
import { LookSettings } from './LookSettings.tsx';
import { MemberSettings } from './MemberSettings.tsx';
import { NotificationSettings } from './NotificationSettings.tsx';
import { ProfileSettings } from './ProfileSettings.tsx';
import { SecuritySettings } from './SecuritySettings.tsx';
import styles from './SettingsPage.module.css';

const sections: Record<string, ReactNode> = {
  profile: <ProfileSettings />,
  look: <LookSettings />,
  security: <SecuritySettings />,
  notifications: <NotificationSettings />,
  members: <MemberSettings />,
};

/** The settings of the person and of the workspace. */
export function SettingsPage({ section }: { section: string }) {
  const { workspace } = usePlace();
  const shown = section in sections ? section : 'look';
  const name = words(`settings.${shown}` as WordKey);
  usePageTitle(name);
  return (
    <div className={styles.page}>
      <Sidebar place={undefined} />
      <main className={styles.main}>
        <header className={styles.head}>
          <Button look="quiet" className={styles.menu} popoverTarget={sidebarId} aria-label={words('list.menu')}>
            <Icon name="menu" />
          </Button>
          <p className={styles.where}>
            {words('settings.title')} · {workspace.name}
          </p>
        </header>
        <nav className={styles.sections} aria-label={words('settings.title')}>
          {Object.keys(sections).map((id) => (
            <Link key={id} href={paths.settings(id)} aria-current={id === shown ? 'page' : undefined}>
              {words(`settings.${id}` as WordKey)}
            </Link>
          ))}
        </nav>
        <h1>{name}</h1>
        {sections[shown]}
      </main>
    </div>
  );
}
