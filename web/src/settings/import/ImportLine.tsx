import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { fullTime } from '../../lib/dates.ts';
import { fileSize } from '../../lib/file-size.ts';
import { paths } from '../../paths.ts';
import { useNameOf } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { type WordKey, words } from '../../words/words.ts';
import styles from './Import.module.css';
import { importQuery, isUnderWay, type MailImport, type Problem, stopImport } from './imports.ts';

/** An import with its progress, or with what became of it. */
export function ImportLine({ mailImport }: { mailImport: MailImport }) {
  const { workspace } = usePlace();
  const { id, state, size, processed, passedOver, quarantined } = mailImport;
  const [isOpen, setIsOpen] = useState(false);
  const problemsId = useId();
  const names = namesOf(mailImport);
  return (
    <li className={styles.line}>
      <span>
        <b>{names}</b>
        <br />
        <small>{useBegin(mailImport)}</small>
        <br />
        <span role="status">{stateWords(mailImport)}</span>
        <Counts mailImport={mailImport} />
        {quarantined > 0 && (
          <>
            {' '}
            <Link href={paths.settings('quarantine')}>{words('import.quarantine')}</Link>
          </>
        )}
      </span>
      <span className={styles.tools}>
        {state === 'running' && (
          <Action aria-label={words('import.stopNamed', { names })} run={() => stopImport(workspace.id, id)}>
            {words('import.stop')}
          </Action>
        )}
        {passedOver > 0 && (
          <Button
            aria-label={words('import.problemsNamed', { names })}
            aria-expanded={isOpen}
            aria-controls={problemsId}
            onClick={() => setIsOpen(!isOpen)}
          >
            {words('import.problems')}
          </Button>
        )}
      </span>
      {isUnderWay(mailImport) && <progress max={size} value={processed} aria-label={words('import.progress')} />}
      <div id={problemsId} className={styles.problems}>
        {isOpen && <Problems mailImport={mailImport} />}
      </div>
    </li>
  );
}

function namesOf({ fileNames, fileCount }: MailImport): string {
  const more = fileCount - fileNames.length;
  const names = fileNames.join(', ');
  return more > 0 ? `${names} ${words('import.more', { count: more })}` : names;
}

function useBegin({ createdBy, createdAt, size, status }: MailImport): string {
  const person = useNameOf()(createdBy);
  return [
    words('import.by', { person, time: fullTime(createdAt) }),
    fileSize(size),
    words(`import.as.${status}` as WordKey),
  ].join(' · ');
}

function stateWords(mailImport: MailImport): string {
  const { state, failure, secondsLeft } = mailImport;
  if (state === 'failed') return words(`import.failure.${failure}` as WordKey);
  if (state !== 'running') return words(`import.state.${state}` as WordKey);
  if (secondsLeft === null) return words('import.state.running');
  const count = Math.ceil(secondsLeft / 60);
  return words(count <= 1 ? 'import.lastMinute' : 'import.minutesLeft', { count });
}

const leftOutKinds = ['drafts', 'deleted', 'spam', 'chats'] as const;

function Counts({ mailImport }: { mailImport: MailImport }) {
  const { imported, known, quarantined, passedOver, leftOut, tickets, mailsPerSecond } = mailImport;
  const rows: (readonly [WordKey, number])[] = [
    ['import.imported', imported],
    ['import.tickets', tickets],
    ['import.known', known],
    ['import.quarantined', quarantined],
    ['import.passedOver', passedOver],
    ...leftOutKinds.flatMap((kind) => (leftOut[kind] > 0 ? [[`import.leftOut.${kind}`, leftOut[kind]] as const] : [])),
    ...(isUnderWay(mailImport) && mailsPerSecond !== null
      ? [['import.perSecond', Math.round(mailsPerSecond)] as const]
      : []),
  ];
  return (
    <dl className={styles.counts}>
      {rows.map(([key, value]) => (
        <div key={key}>
          <dt>{words(key)}</dt>
          <dd>{words('import.number', { value })}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The first files and mails that were passed over, each with its reason. */
function Problems({ mailImport }: { mailImport: MailImport }) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery({
    ...importQuery(workspace.id, mailImport),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <p>{words('loading')}</p>;
  const more = mailImport.passedOver - data.problems.length;
  return (
    <>
      <ul aria-label={words('import.problems')}>
        {data.problems.map((problem) => (
          <li key={`${problem.source} ${problem.reason}`}>
            <span>{problem.source}</span>
            <span>{reasonOf(problem)}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p>{words('import.more', { count: more })}</p>}
    </>
  );
}

const reasonOf = ({ reason }: Problem): string => words(`import.why.${reason}` as WordKey);
