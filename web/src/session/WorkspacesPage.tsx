import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Button } from '../ui/Button.tsx';
import { Disclosure } from '../ui/Disclosure.tsx';
import { Field } from '../ui/Field.tsx';
import { Icon } from '../ui/Icon.tsx';
import { type WordKey, words } from '../words/words.ts';
import { makeWorkspace } from './changes.ts';
import { signOutEverywhere } from './forget.ts';
import { usePlace } from './Guard.tsx';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';
import styles from './WorkspacesPage.module.css';

/** All workspaces of a person with their role in each, and a form to create another. */
export function WorkspacesPage() {
  const { workspace, workspaces, choose } = usePlace();
  const [, navigate] = useLocation();
  const leaving = useMutation({
    mutationFn: signOutEverywhere,
    onSuccess: (isOut) => isOut && navigate(paths.signIn, { replace: true }),
  });
  const make = async ({ name = '' }: Record<string, string>) => {
    await makeWorkspace(name);
    navigate(paths.inbox);
  };
  return (
    <SessionFrame title={words('workspace.choose')} foot={<Link href={paths.inbox}>{words('workspace.back')}</Link>}>
      <ul className={styles.workspaces}>
        {workspaces.map(({ id, name, role }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === workspace.id ? 'true' : undefined}
              onClick={() => {
                choose(id);
                navigate(paths.inbox);
              }}
            >
              <span dir="auto">{name}</span> <small>{words(`role.${role}` as WordKey)}</small>
              {id === workspace.id && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
      <Disclosure summary={words('workspace.another')}>
        <SessionForm action={words('workspace.make')} onSubmit={make}>
          <Field label={words('session.workspace')} name="name" autoComplete="organization" maxLength={100} required />
        </SessionForm>
      </Disclosure>
      <Button look="quiet" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        {words('session.signOutEverywhere')}
      </Button>
    </SessionFrame>
  );
}
