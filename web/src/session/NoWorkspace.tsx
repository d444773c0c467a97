import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { makeWorkspace } from './changes.ts';
import { signOut } from './forget.ts';
import { SessionForm } from './SessionForm.tsx';
import { SessionFrame } from './SessionFrame.tsx';

/** A person without a workspace sees this page. They can create a workspace, or wait for an invitation. */
export function NoWorkspace({ email }: { email: string }) {
  const [, navigate] = useLocation();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: (isOut) => isOut && navigate(paths.signIn, { replace: true }),
  });
  return (
    <SessionFrame title={words('workspace.none')}>
      <p>{words('session.noWorkspace', { email })}</p>
      <SessionForm action={words('workspace.make')} onSubmit={({ name = '' }) => makeWorkspace(name)}>
        <Field label={words('session.workspace')} name="name" autoComplete="organization" maxLength={100} required />
      </SessionForm>
      {leave.error !== null && <Fault error={leave.error} />}
      <Button look="quiet" disabled={leave.isPending} onClick={() => leave.mutate()}>
        {words('session.signOut')}
      </Button>
    </SessionFrame>
  );
}
