import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { browserWords } from '../browser-words.ts';
import { allMembersQuery, nameOf } from '../members.ts';
import { Section } from '../Section.tsx';
import styles from './AuditSettings.module.css';
import { type AuditEntry, type AuditFilter, type AuditKind, auditKinds, auditQuery } from './audit.ts';
import { auditSentence } from './audit-words.ts';

/** Who did what in the workspace, newest first. */
export function AuditSettings() {
  const { workspace } = usePlace();
  const [filter, setFilter] = useState<AuditFilter>({ actor: '', kind: '', from: '', until: '' });
  const log = useInfiniteQuery(auditQuery(workspace.id, filter));
  const entries = log.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={words('audit.title')} hint={words('audit.hint')}>
      <Filters filter={filter} onChange={(change) => setFilter({ ...filter, ...change })} />
      {log.error !== null && <Fault error={log.error} onRetry={() => void log.refetch()} />}
      <p role="status">
        {entries.length === 0 && log.error === null && words(log.isPending ? 'loading' : 'audit.none')}
      </p>
      <ul aria-label={words('audit.title')}>
        {entries.map((entry) => (
          <Line key={entry.id} entry={entry} />
        ))}
      </ul>
      {log.hasNextPage && (
        <Button disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {words('audit.older')}
        </Button>
      )}
    </Section>
  );
}

type FiltersProps = { filter: AuditFilter; onChange: (change: Partial<AuditFilter>) => void };

function Filters({ filter, onChange }: FiltersProps) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  return (
    <div className={styles.filters}>
      <label>
        {words('audit.person')}
        <select value={filter.actor} onChange={({ target }) => onChange({ actor: target.value })}>
          <option value="">{words('audit.anyone')}</option>
          {members.map((member) => (
            <option key={member.userId} value={member.userId}>
              {nameOf(member)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words('audit.kind')}
        {/* The values are those below. */}
        <select value={filter.kind} onChange={({ target }) => onChange({ kind: target.value as AuditKind | '' })}>
          <option value="">{words('audit.anything')}</option>
          {auditKinds.map((kind) => (
            <option key={kind} value={kind}>
              {words(`audit.group.${kind}`)}
            </option>
          ))}
        </select>
      </label>
      {(['from', 'until'] as const).map((end) => (
        <label key={end}>
          {words(`audit.${end}`)}
          <input type="date" value={filter[end]} onChange={({ target }) => onChange({ [end]: target.value })} />
        </label>
      ))}
    </div>
  );
}

function Line({ entry }: { entry: AuditEntry }) {
  const { createdAt, ip, userAgent } = entry;
  const details = [ip, userAgent === null ? null : browserWords(userAgent)].filter((detail) => detail !== null);
  return (
    <li>
      <span>
        {auditSentence(entry)}
        <br />
        <small className={styles.quiet}>
          <time dateTime={createdAt}>{fullTime(createdAt)}</time>
          {details.length > 0 && ` · ${details.join(' · ')}`}
        </small>
      </span>
    </li>
  );
}
