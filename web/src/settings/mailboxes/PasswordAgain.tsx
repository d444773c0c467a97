import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { explain } from './explain.ts';

/** Connects a mailbox again with another password, at the same servers. */
export function PasswordAgain({ address }: { address: string }) {
  const { workspace } = usePlace();
  const connect = async ({ password = '' }: Record<string, string>) => {
    const body = { provider: 'imap' as const, address, password };
    await inWorkspace(workspace.id).POST('/mailboxes', { body }).catch(explain);
    await queryClient.invalidateQueries(mailboxesQuery(workspace.id));
  };
  return (
    <SessionForm action={words('mailboxes.again')} onSubmit={connect}>
      <Field label={words('mailboxes.servers.password')} name="password" type="password" autoComplete="off" required />
    </SessionForm>
  );
}
