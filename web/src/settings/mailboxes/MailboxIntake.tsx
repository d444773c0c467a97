import { useMutation } from '@tanstack/react-query';
import { fullTime } from '../../lib/dates.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { readIntake, useParams } from './changes.ts';
import styles from './mailboxes.module.css';

const counts = ['stuck', 'waiting', 'skipped', 'older'] as const;

/** How much of the mail on the server is taken, folder by folder. */
export function MailboxIntake({ mailboxId }: { mailboxId: string }) {
  const params = useParams(mailboxId);
  const intake = useMutation({ mutationFn: () => readIntake(params) });
  return (
    <Section title={words('mailboxes.intake')} hint={words('mailboxes.intakeHint')}>
      <Button disabled={intake.isPending} onClick={() => intake.mutate()}>
        {words(intake.isPending ? 'mailboxes.intakeRuns' : 'mailboxes.intakeNow')}
      </Button>
      {intake.error !== null && <Fault error={intake.error} />}
      <div role="status">
        <dl className={styles.facts}>
          {intake.data?.folders.map(({ path, onServer, taken, oldestUntakenAt, ...rest }) => (
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
                  <span>{words('mailboxes.intakeOldest', { time: fullTime(oldestUntakenAt) })}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Section>
  );
}
