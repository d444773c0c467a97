import { useMutation } from '@tanstack/react-query';
import { Avatar } from '../ui/Avatar.tsx';
import { Fault } from '../ui/Fault.tsx';
import { type WordKey, words } from '../words/words.ts';
import { signIn } from './changes.ts';
import styles from './DemoPeople.module.css';
import divider from './ProviderButtons.module.css';
import type { PublicConfig } from './queries.ts';

type Demo = NonNullable<PublicConfig['demo']>;

/** Demo only: buttons that sign in as each person, and a link to the customer's page. */
export function DemoPeople({ demo, onDone }: { demo: Demo; onDone: () => void }) {
  const entering = useMutation({
    mutationFn: (email: string) => signIn({ email, password: demo.password }),
    onSuccess: onDone,
  });
  return (
    <section className={styles.people} aria-label={words('demo.people')}>
      <h2 className={divider.or}>{words('demo.people')}</h2>
      <ul>
        {demo.people.map(({ name, email, role }) => (
          <li key={email}>
            <button type="button" onClick={() => entering.mutate(email)} disabled={entering.isPending}>
              <Avatar name={name} of={email} isTeam />
              <span dir="auto">
                <b>{name}</b> <small>{words(`role.${role}` as WordKey)}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {entering.error !== null && <Fault error={entering.error} />}
      <a href={demo.customerPage} target="_blank" rel="noreferrer">
        {words('demo.customer')}
      </a>
    </section>
  );
}
