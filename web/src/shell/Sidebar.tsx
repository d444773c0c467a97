import { Link, useLocation } from 'wouter';
import { commandProps } from '../commands.ts';
import { paths } from '../paths.ts';
import { signOut } from '../session/changes.ts';
import { usePlace } from '../session/Guard.tsx';
import { standardLists, writeList } from '../tickets/lists.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './Sidebar.module.css';

type Props = { search: string; onHelp: () => void };

/** The workspace, its lists, and what belongs to the person. */
export function Sidebar({ search, onHelp }: Props) {
  const { workspace, workspaces, choose } = usePlace();
  const [, navigate] = useLocation();
  const leave = async () => {
    await signOut();
    navigate(paths.signIn, { replace: true });
  };
  return (
    <nav className={styles.sidebar} aria-label={words('list.label')}>
      {workspaces.length === 1 ? (
        <p className={styles.workspace}>{workspace.name}</p>
      ) : (
        <select
          className={styles.workspace}
          aria-label={words('session.choose')}
          value={workspace.id}
          onChange={(event) => {
            choose(event.target.value);
            navigate(paths.inbox);
          }}
        >
          {workspaces.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <ul>
        {standardLists.map(({ name, parameters }) => {
          const written = writeList(parameters);
          return (
            <li key={name}>
              <Link href={paths.list(written)} aria-current={written === search ? 'page' : undefined}>
                {words(name)}
              </Link>
            </li>
          );
        })}
      </ul>
      <div className={styles.foot}>
        <Button look="quiet" {...commandProps('help')} onClick={onHelp}>
          {words('help.open')}
        </Button>
        <Button look="quiet" onClick={() => void leave()}>
          {words('session.signOut')}
        </Button>
      </div>
    </nav>
  );
}
