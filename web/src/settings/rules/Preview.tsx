import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Segmented } from '../../ui/Segmented.tsx';
import { words } from '../../words/words.ts';
import { isComplete } from './complete.ts';
import { type Preview as Answer, previewQuery } from './queries.ts';
import { resultParts } from './reasons.ts';
import { partOf, type RuleDraft } from './rule.ts';
import styles from './rules.module.css';
import { Sentence } from './Sentence.tsx';
import type { RuleNames } from './sentence.ts';

/** A person who types is not asked for each letter. */
const settleMs = 400;
const shownFirst = 5;
const tabs = ['all', 'matched', 'no'] as const;

/** What the rule would have done with the newest tickets, and why not with the others. */
export function Preview({ draft, names }: { draft: RuleDraft; names: RuleNames }) {
  const { workspace } = usePlace();
  const settled = useSettled(draft);
  const isReady = isComplete(settled);
  const { data, error, isFetching } = useQuery({ ...previewQuery(workspace.id, settled), enabled: isReady });
  if (!isReady) return <Empty text={words('rules.previewIncomplete')} />;
  if (data === undefined)
    return <Empty text={error === null ? words('rules.previewLoading') : words('rules.previewFailed')} />;
  return <Result answer={data} isOld={isFetching} draft={settled} names={names} />;
}

/** The draft once nobody has changed it for a moment. */
function useSettled(draft: RuleDraft): RuleDraft {
  const [settled, setSettled] = useState(draft);
  const text = JSON.stringify(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Empty({ text }: { text: string }) {
  return (
    <section className={styles.try} aria-label={words('rules.preview')}>
      <p className={styles.tryNone} role="status">
        {text}
      </p>
    </section>
  );
}

type ResultProps = { answer: Answer; isOld: boolean; draft: RuleDraft; names: RuleNames };

function Result({ answer: { items, counts }, isOld, draft, names }: ResultProps) {
  const [tab, setTab] = useState<(typeof tabs)[number]>('all');
  const [isWhole, setIsWhole] = useState(false);
  const numbers = { all: items.length, matched: counts.matched, no: items.length - counts.matched };
  const inTab = items.filter(({ matched }) => tab === 'all' || (matched === true) === (tab === 'matched'));
  const shown = isWhole ? inTab : inTab.slice(0, shownFirst);
  return (
    <section className={styles.try} aria-label={words('rules.preview')} aria-busy={isOld}>
      <div className={styles.tryHead}>
        <p role="status">
          <b>{words(`rules.previewOn.${partOf(draft.trigger)}`, { count: items.length })}</b>{' '}
          {words('rules.previewMatched', { count: counts.matched })}
        </p>
        <Segmented label={words('rules.previewShow')}>
          {tabs.map((one) => (
            <button key={one} type="button" aria-pressed={one === tab} onClick={() => setTab(one)}>
              {one === 'all' ? words('rules.tab.all') : words(`rules.tab.${one}`, { number: numbers[one] })}
            </button>
          ))}
        </Segmented>
      </div>
      {shown.length > 0 && (
        <ul aria-label={words('rules.preview')}>
          {shown.map((item) => (
            <li key={item.eventId ?? item.ticketId} data-matched={item.matched || undefined}>
              <Icon name={item.matched === true ? 'check' : 'close'} />
              <Link href={paths.ticket(item.ticketNumber)}>
                <span className={styles.number}>#{item.ticketNumber}</span>
                <span className="cut" dir="auto">
                  {item.subject}
                </span>
              </Link>
              <span className={styles.why}>
                <Sentence parts={resultParts(item, draft, names)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {shown.length < inTab.length && (
        <div className={styles.tryMore}>
          <Button look="quiet" size="tool" onClick={() => setIsWhole(true)}>
            {words('rules.previewMore', { count: inTab.length - shown.length })}
          </Button>
        </div>
      )}
    </section>
  );
}
