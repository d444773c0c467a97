import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { type ListParameters, writeList } from '../tickets/lists.ts';
import { membersQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { chipsOf, omit } from './chips.ts';
import { useDensity } from './density.ts';
import { FilterPanel } from './FilterPanel.tsx';
import styles from './ListHead.module.css';

/** The filters of a list as chips, its order, and how much of each ticket it shows. */
export function ListHead({ list }: { list: ListParameters }) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const nameOf = (id: string) => {
    const member = members.find(({ userId }) => userId === id);
    return member?.name ?? member?.email ?? words('event.formerMember');
  };
  const go = (wanted: ListParameters) => navigate(paths.list(writeList(wanted)));
  return (
    <div className={styles.head}>
      <ul className={styles.chips} aria-label={words('chip.label')}>
        {chipsOf(list, nameOf).map(({ text, without }) => (
          <li key={text}>
            <Button
              className={styles.chip}
              aria-label={words('chip.remove', { filter: text })}
              onClick={() => go(without)}
            >
              {text} <span aria-hidden="true">×</span>
            </Button>
          </li>
        ))}
        <li>
          <FilterPanel key={writeList(list)} list={list} onChange={go} />
        </li>
      </ul>
      <div className={styles.order}>
        <SortChoice list={list} onChange={go} />
        <DensityButton />
      </div>
    </div>
  );
}

const sorts = ['lastMessageAt', 'lastMessageAt asc', 'createdAt', 'createdAt asc', 'updatedAt', 'priority'] as const;

type ChoiceProps = { list: ListParameters; onChange: (list: ListParameters) => void };

function SortChoice({ list, onChange }: ChoiceProps) {
  const { sort = 'lastMessageAt', order } = list;
  const change = (value: string) => {
    const [wanted = '', direction] = value.split(' ');
    const unsorted = omit(omit(list, 'sort'), 'order');
    onChange({
      ...unsorted,
      ...(value === sorts[0] ? {} : { sort: wanted }),
      ...(direction === undefined ? {} : { order: direction }),
    });
  };
  return (
    <select
      aria-label={words('sort.label')}
      className={styles.sort}
      value={order === 'asc' ? `${sort} asc` : sort}
      onChange={(event) => change(event.target.value)}
    >
      {sorts.map((value) => (
        <option key={value} value={value}>
          {words(`sort.${value}`)}
        </option>
      ))}
    </select>
  );
}

function DensityButton() {
  const [density, choose] = useDensity();
  const other = density === 'compact' ? 'comfortable' : 'compact';
  return (
    <Button
      look="quiet"
      className={styles.density}
      aria-pressed={density === 'compact'}
      aria-label={words('density.compact')}
      title={words(`density.${other}`)}
      onClick={() => choose(other)}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <path
          d={density === 'compact' ? 'M2 3h12M2 8h12M2 13h12' : 'M2 3h12M2 6h12M2 10h12M2 13h12'}
          stroke="currentColor"
          strokeWidth="1.5"
        />
      </svg>
    </Button>
  );
}
