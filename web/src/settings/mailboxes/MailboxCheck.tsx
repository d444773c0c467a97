import { Button } from '../../ui/Button.tsx';
import { Disclosure } from '../../ui/Disclosure.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { checkWords, words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { useCheck } from './changes.ts';
import styles from './mailboxes.module.css';

const marks = { good: 'check', bad: 'alert', none: 'more' } as const;

/** A button that tries everything the mailbox needs, and the result of each step. */
export function MailboxCheck({ mailboxId }: { mailboxId: string }) {
  const check = useCheck(mailboxId);
  const steps = check.data?.steps ?? [];
  const failed = steps.filter(({ ok }) => ok === false).length;
  return (
    <Section title={words('mailboxes.check')} hint={words('mailboxes.checkHint')}>
      <Button disabled={check.isPending} onClick={() => check.mutate()}>
        {words(check.isPending ? 'mailboxes.checking' : 'mailboxes.checkNow')}
      </Button>
      {check.error !== null && <Fault error={check.error} />}
      <p role="status" className={styles.hint}>
        {check.data !== undefined &&
          !check.isPending &&
          (failed === 0 ? words('mailboxes.checkGood') : words('mailboxes.checkBad', { count: failed }))}
      </p>
      {steps.length > 0 && !check.isPending && (
        <ol className={styles.steps}>
          {steps.map(({ name, ok, detail, detailKey, detailParams, hint, hintKey }) => {
            const translated = checkWords(detailKey, detailParams);
            const outcome = ok === null ? 'none' : ok ? 'good' : 'bad';
            return (
              <li key={name} data-outcome={outcome}>
                <Icon name={marks[outcome]} />
                <div>
                  <b>{words(`mailboxes.step.${name}`)}</b>{' '}
                  <span className="visually-hidden">{words(`mailboxes.outcome.${outcome}`)}</span>
                  <p>{translated ?? detail}</p>
                  {translated !== undefined && ok === false && (
                    <Disclosure summary={words('mailboxes.said')}>
                      <p lang="en">{detail}</p>
                    </Disclosure>
                  )}
                  {hint !== null && <p className={styles.hint}>{checkWords(hintKey) ?? hint}</p>}
                </div>
              </li>
            );
          })}
        </ol>
      )}
    </Section>
  );
}
