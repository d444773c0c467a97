import { Avatar } from '../ui/Avatar.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import { type Colleague, doingWords, useColleagues } from './colleagues.ts';
import styles from './Faces.module.css';

const facesMax = { small: 2, large: 3 } as const;

/** The colleagues at a ticket: initials on the screen, sentences for screen readers. A head shows one sentence. */
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
      // In a row, the sentences are a part of the row's accessible name.
      {...(!isSmall && { role: 'group', 'aria-label': words('people.here') })}
    >
      {colleagues.slice(0, facesMax[size]).map((colleague, at) => (
        <Face key={colleague.userId} colleague={colleague} size={isSmall ? 16 : 24} isTold={!isSmall && at === 0} />
      ))}
      {rest.length > 0 && (
        <span className={styles.rest} title={rest.map(doingWords).join('\n')}>
          <span aria-hidden="true">+{rest.length}</span>
          <span className="visually-hidden">{restWords}</span>
        </span>
      )}
    </span>
  );
}

type FaceProps = { colleague: Colleague; size: 16 | 24; isTold: boolean };

function Face({ colleague, size, isTold }: FaceProps) {
  const { name, userId, state } = colleague;
  return (
    <span className={styles.face} data-writes={state !== 'viewing'} title={doingWords(colleague)}>
      <span className={styles.live}>
        <Avatar name={name} of={userId} isTeam size={size} />
        {state !== 'viewing' && <Icon name="pencil" size={12} />}
      </span>
      <span className={isTold ? styles.told : 'visually-hidden'}>{doingWords(colleague)}</span>
    </span>
  );
}
