import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { useNameOf } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Field } from '../../ui/Field.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { browserWords } from '../browser-words.ts';
import { allMembersQuery, nameOf } from '../members.ts';
import { Section } from '../Section.tsx';
import styles from './AuditSettings.module.css';
import { type AuditEntry, type AuditFilter, auditKinds, auditQuery } from './audit.ts';
import { auditSentence } from './audit-words.ts';

/** Who did what in the workspace, newest first. The address may name the kind of changes to begin with. */
export function AuditSettings() {
  const { workspace } = usePlace();
  const asked = new URLSearchParams(useSearch()).get('kind');
  const kind = auditKinds.find((one) => one === asked) ?? '';
  const [filter, setFilter] = useState<AuditFilter>({ actor: '', kind, from: '', until: '' });
  const log = useInfiniteQuery({ ...auditQuery(workspace.id, filter), select: itemsOf });
  return (
    <Section title={words('audit.title')}>
      <Filters filter={filter} onChange={(change) => setFilter({ ...filter, ...change })} />
      <PagedList label={words('audit.title')} source={log} none={words('audit.none')} more={words('audit.older')}>
        {(entry) => <Line key={entry.id} entry={entry} />}
      </PagedList>
    </Section>
  );
}

type FiltersProps = { filter: AuditFilter; onChange: (change: Partial<AuditFilter>) => void };

function Filters({ filter, onChange }: FiltersProps) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(allMembersQuery(workspace.id));
  return (
    <div className={styles.filters}>
      <ChoiceField
        label={words('audit.person')}
        value={filter.actor}
        options={[['', words('audit.anyone')], ...members.map((member) => [member.userId, nameOf(member)] as const)]}
        onChoose={(actor) => onChange({ actor })}
      />
      <ChoiceField
        label={words('audit.kind')}
        value={filter.kind}
        options={[
          ['', words('audit.anything')],
          ...auditKinds.map((kind) => [kind, words(`audit.group.${kind}`)] as const),
        ]}
        onChoose={(kind) => onChange({ kind })}
      />
      {(['from', 'until'] as const).map((end) => (
        <Field
          key={end}
          label={words(`audit.${end}`)}
          type="date"
          value={filter[end]}
          onChange={({ target }) => onChange({ [end]: target.value })}
        />
      ))}
    </div>
  );
}

function Line({ entry }: { entry: AuditEntry }) {
  const { createdAt, ip, userAgent } = entry;
  const nameOf = useNameOf();
  const details = [ip, userAgent === null ? null : browserWords(userAgent)].filter((detail) => detail !== null);
  return (
    <li>
      <span>
        {auditSentence(entry, nameOf)}
        <br />
        <small>
          <time dateTime={createdAt}>{fullTime(createdAt)}</time>
          {details.length > 0 && ` · ${details.join(' · ')}`}
        </small>
      </span>
    </li>
  );
}
