import { Link } from 'wouter';
import { queryClient } from '../../api/cache.ts';
import { api, dataOf } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { words } from '../../words/words.ts';
import { meQuery } from '../queries.ts';
import { SessionForm } from '../SessionForm.tsx';
import { SessionFrame } from '../SessionFrame.tsx';
import { useMailedLink } from './use-mailed-link.ts';

/** The page of the link that was mailed to the new address of an account. */
export function ConfirmEmailPage() {
  const { state, follow } = useMailedLink(async (token) => {
    await dataOf(api.POST('/v1/auth/confirm-email', { body: { token } }));
    await queryClient.invalidateQueries(meQuery);
  });
  return (
    <SessionFrame
      title={words('session.confirmTitle')}
      foot={<Link href={paths.settings('profile')}>{words('session.goOn')}</Link>}
    >
      {state === 'asked' && (
        <SessionForm action={words('session.confirm')} onSubmit={follow}>
          <p>{words('session.confirmHint')}</p>
        </SessionForm>
      )}
      {state === 'done' && <p role="status">{words('session.confirmed')}</p>}
      {state === 'dead' && <p role="status">{words('session.confirmDead')}</p>}
    </SessionFrame>
  );
}
