import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { makeWorkspace, signOut } from './changes.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

/** Shown to a person without a workspace. They can create one, or wait for an invitation. */
export function NoWorkspace({ email }: { email: string }) {
  const [, navigate] = useLocation();
  const leave = async () => {
    await signOut();
    navigate(paths.signIn, { replace: true });
  };
  return (
    <SessionFrame title={words('workspace.none')}>
      <p>{words('session.noWorkspace', { email })}</p>
      <SessionForm action={words('workspace.make')} onSubmit={({ name = '' }) => makeWorkspace(name)}>
        <Field label={words('session.workspace')} name="name" autoComplete="organization" maxLength={100} required />
      </SessionForm>
      <Button look="quiet" onClick={() => void leave()}>
        {words('session.signOut')}
      </Button>
    </SessionFrame>
  );
}
