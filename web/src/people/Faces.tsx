import { initialsOf } from '../lib/initials.ts';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import { type Colleague, doingWords, useColleagues } from './colleagues.ts';
import styles from './Faces.module.css';

const facesMax = { small: 2, large: 4 } as const;

/** Who else is at a ticket: initials to see, sentences to hear. */
export function Faces({ ticketId, isSmall = false }: { ticketId: string; isSmall?: boolean }) {
  const colleagues = useColleagues(ticketId);
  if (colleagues.length === 0) return null;
  const size = isSmall ? 'small' : 'large';
  const rest = colleagues.slice(facesMax[size]);
  const restWords = words('people.more', { count: rest.length });
  return (
    <span
      className={styles.faces}
      data-size={size}
      // A row has its own name, of which the sentences are a part.
      {...(!isSmall && { role: 'group', 'aria-label': words('people.here') })}
    >
      {colleagues.slice(0, facesMax[size]).map((colleague) => (
        <Face key={colleague.userId} colleague={colleague} />
      ))}
      {rest.length > 0 && (
        <span className={styles.face} title={rest.map(doingWords).join('\n')}>
          <span aria-hidden="true">+{rest.length}</span>
          <span className="visually-hidden">{restWords}</span>
        </span>
      )}
    </span>
  );
}

function Face({ colleague }: { colleague: Colleague }) {
  const { name, state } = colleague;
  return (
    <span className={styles.face} data-writes={state !== 'viewing'} title={doingWords(colleague)}>
      <span aria-hidden="true">{initialsOf(name)}</span>
      {state !== 'viewing' && <Icon name="pencil" />}
      <span className="visually-hidden">{doingWords(colleague)}</span>
    </span>
  );
}
