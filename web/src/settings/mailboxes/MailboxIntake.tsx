import { useState } from 'react';
import { datedTime } from '../../lib/dates.ts';
import { Action } from '../../ui/Action.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { readIntake, useMailboxPlace } from './changes.ts';
import styles from './mailboxes.module.css';

const counts = ['stuck', 'waiting', 'skipped', 'older'] as const;

/** How much of the mail on the server is taken, folder by folder. */
export function MailboxIntake({ mailboxId }: { mailboxId: string }) {
  const place = useMailboxPlace(mailboxId);
  const [intake, setIntake] = useState<Awaited<ReturnType<typeof readIntake>>>();
  return (
    <Section title={words('mailboxes.intake')} hint={words('mailboxes.intakeHint')}>
      <Action run={async () => setIntake(await readIntake(place))} pending={words('mailboxes.intakeRuns')}>
        {words('mailboxes.intakeNow')}
      </Action>
      <div role="status">
        <dl className={styles.facts}>
          {intake?.folders.map(({ path, onServer, taken, oldestUntakenAt, ...rest }) => (
            <div key={path}>
              <dt>{path}</dt>
              <dd>
                {words('mailboxes.intakeTaken', { onServer, taken })}
                {counts.map(
                  (name) =>
                    rest[name] > 0 && (
                      <span key={name}>{words(`mailboxes.intake.${name}`, { count: rest[name] })}</span>
                    ),
                )}
                {oldestUntakenAt !== null && (
                  <span>{words('mailboxes.intakeOldest', { time: datedTime(oldestUntakenAt) })}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Section>
  );
}
