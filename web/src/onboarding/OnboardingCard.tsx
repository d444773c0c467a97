import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Link } from 'wouter';
import type { WhenAnswered } from '../compose/when-answered.ts';
import { paths } from '../paths.ts';
import { changeWorkspace } from '../session/change-workspace.ts';
import { usePlace } from '../session/Guard.tsx';
import { configQuery, settingsQuery } from '../session/queries.ts';
import { mailboxesQuery, membersQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import styles from './OnboardingCard.module.css';
import { useHasAnswer } from './queries.ts';
import { Samples } from './Samples.tsx';

type Props = { hasTickets: boolean; onEnd: () => void };

/**
 * The first steps in a workspace, each with its live state, until they are done or the person hides them. Beside
 * tickets they are one line, until the person opens them.
 */
export function OnboardingCard({ hasTickets, onEnd }: Props) {
  const { workspace } = usePlace();
  const id = useId();
  const [isWanted, setIsWanted] = useState<boolean>();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data;
  const members = useQuery(membersQuery(workspace.id)).data;
  const hasAnswer = useHasAnswer(workspace.id);
  const isWithoutServer = useQuery(configQuery).data?.mail === 'outbox';
  const isKnown = mailboxes !== undefined && members !== undefined && hasAnswer !== undefined;
  const steps = isKnown && { mailbox: mailboxes.length > 0, colleagues: members.length > 1, answer: hasAnswer };
  const isDone = steps !== false && Object.values(steps).every(Boolean);
  useEffect(() => {
    if (isDone) onEnd();
  }, [isDone, onEnd]);
  // Draws nothing until all answers are there, or the card would flash in a workspace that is set up already.
  if (steps === false || isDone) return null;
  const isOpen = isWanted ?? !hasTickets;
  return (
    <section className={styles.card} aria-label={words('onboarding.title')}>
      <div className={styles.head}>
        <h2>
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsWanted(!isOpen)}>
            {words('onboarding.title')} <Icon name={isOpen ? 'down' : 'right'} size={12} />
          </button>
        </h2>
        <Button look="quiet" onClick={onEnd}>
          {words('onboarding.away')}
        </Button>
      </div>
      <ol id={id} hidden={!isOpen}>
        <Step isDone={steps.mailbox} title={words('onboarding.mailbox')}>
          <p>{words('onboarding.mailboxHint')}</p>
          {isWithoutServer && <p>{words('onboarding.outbox')}</p>}
          <Link href={paths.settings('mailboxes')}>{words('onboarding.connect')}</Link>
          <Samples />
        </Step>
        <Step isDone={steps.colleagues} title={words('onboarding.colleagues')}>
          <Link href={paths.settings('members')}>{words('onboarding.invite')}</Link>
        </Step>
        <Step isDone={steps.answer} title={words('onboarding.answer')}>
          <p>{words('onboarding.answerHint')}</p>
        </Step>
        {steps.mailbox && <RuleStep />}
        <Step isDone={false} title={words('onboarding.keys')}>
          <p>
            {(['j', 'r', 'e', 'a', '?'] as const).map((key) => (
              <span key={key} className={styles.key}>
                <kbd>{key}</kbd> {words(`onboarding.key.${key}`)}
              </span>
            ))}
          </p>
        </Step>
      </ol>
    </section>
  );
}

/** Offers what most teams want of a reply, once mail comes. A card whose other steps are done does not stay for it. */
function RuleStep() {
  const { workspace } = usePlace();
  const rule = useQuery(settingsQuery(workspace.id)).data?.whenAnswered;
  const choose = useMutation({
    mutationFn: (whenAnswered: WhenAnswered) => changeWorkspace(workspace.id, { whenAnswered }),
  });
  return (
    <Step isDone={rule !== null} title={words('onboarding.rule')}>
      <p>{words('onboarding.ruleHint')}</p>
      <Button disabled={choose.isPending} onClick={() => choose.mutate({ assign: 'unassigned', status: 'pending' })}>
        {words('onboarding.ruleTake')}
      </Button>
      <Button
        look="quiet"
        disabled={choose.isPending}
        onClick={() => choose.mutate({ assign: 'never', status: 'keep' })}
      >
        {words('onboarding.ruleKeep')}
      </Button>
      {choose.error !== null && <Fault error={choose.error} />}
    </Step>
  );
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  return (
    <li data-done={isDone}>
      <h3>
        <span className={styles.mark} aria-hidden="true">
          {isDone && <Icon name="check" />}
        </span>
        {title}
        {isDone && <span className="visually-hidden"> {words('onboarding.done')}</span>}
      </h3>
      {!isDone && children}
    </li>
  );
}
