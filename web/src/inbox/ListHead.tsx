import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { useNames } from '../people/use-names.ts';
import { type ListParameters, type ListPlace, standardListOf, writeList, writePlace } from '../tickets/lists.ts';
import { Icon } from '../ui/Icon.tsx';
import { ViewBar } from '../views/ViewBar.tsx';
import { words } from '../words/words.ts';
import { chipsOf } from './chips.ts';
import styles from './ListHead.module.css';

/** The filters of a list as chips, and the view of the list. The standard lists need neither. */
export function ListHead({ place: { list, viewId } }: { place: ListPlace }) {
  const [, navigate] = useLocation();
  const names = useNames();
  const go = (wanted: ListParameters) => navigate(paths.list(writePlace(wanted, viewId)));
  if (viewId === undefined && standardListOf(list) !== undefined) return null;
  return (
    <div className={styles.head}>
      <ul className={styles.chips} aria-label={words('chip.label')}>
        {chipsOf(list, names).map(({ text, without }) => (
          <li key={`${text} ${writeList(without)}`}>
            <button
              type="button"
              className={styles.chip}
              aria-label={words('chip.remove', { filter: text })}
              onClick={() => go(without)}
            >
              <span className="cut" dir="auto">
                {text}
              </span>
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
        <li>
          <ViewBar list={list} viewId={viewId} />
        </li>
      </ul>
    </div>
  );
}
