import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { signOutEverywhere } from '../session/forget.ts';
import { PasswordField } from '../session/PasswordField.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { Action } from '../ui/Action.tsx';
import { Field } from '../ui/Field.tsx';
import { PagedList } from '../ui/PagedList.tsx';
import { words } from '../words/words.ts';
import { browserWords } from './browser-words.ts';
import { LinkedAccounts } from './LinkedAccounts.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import styles from './Section.module.css';
import { Section } from './Section.tsx';

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => dataOf(api.GET('/v1/me/sessions', { params: { query: { limit: 100 } } })),
});

export function SecuritySettings() {
  return (
    <>
      <PasswordSection />
      <SecondFactor />
      <LinkedAccounts />
      <SessionsSection />
    </>
  );
}

function PasswordSection() {
  const [changes, setChanges] = useState(0);
  const change = async ({ currentPassword = '', newPassword = '' }: Record<string, string>) => {
    await dataOf(api.POST('/v1/me/password', { body: { currentPassword, newPassword } }));
    await queryClient.invalidateQueries(sessionsQuery);
    setChanges(changes + 1);
  };
  return (
    <Section title={words('session.password')} hint={words('security.passwordHint')}>
      {changes > 0 && <p role="status">{words('security.passwordChanged')}</p>}
      <SessionForm key={changes} action={words('security.changePassword')} onSubmit={change}>
        <Field
          label={words('security.currentPassword')}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
        />
        <PasswordField label={words('session.newPassword')} name="newPassword" />
      </SessionForm>
    </Section>
  );
}

function SessionsSection() {
  const [, navigate] = useLocation();
  const source = useQuery(sessionsQuery);
  const refresh = () => queryClient.invalidateQueries(sessionsQuery);
  const end = (sessionId: string) =>
    dataOf(api.DELETE('/v1/me/sessions/{sessionId}', { params: { path: { sessionId } } })).finally(refresh);
  const leave = async () => {
    if (await signOutEverywhere()) navigate(paths.signIn, { replace: true });
  };
  return (
    <Section title={words('security.sessions')} hint={words('security.sessionsHint')} count={source.data?.length}>
      <PagedList label={words('security.sessions')} source={source} none="">
        {({ id, userAgent, ip, lastUsedAt, isCurrent }, onGone) => (
          <li key={id}>
            <span>
              <b>{browserWords(userAgent)}</b>
              <br />
              <small>
                {ip ?? words('security.unknownPlace')} ·{' '}
                {isCurrent ? (
                  <b>{words('security.thisOne')}</b>
                ) : (
                  words('security.lastUsed', { time: fullTime(lastUsedAt) })
                )}
              </small>
            </span>
            {!isCurrent && <Action run={() => end(id).then(onGone)}>{words('security.end')}</Action>}
          </li>
        )}
      </PagedList>
      <div className={styles.actions}>
        {(source.data ?? []).length > 1 && (
          <Action run={() => dataOf(api.DELETE('/v1/me/sessions')).finally(refresh)}>
            {words('security.endOthers')}
          </Action>
        )}
        <Action look="danger" run={leave}>
          {words('session.signOutEverywhere')}
        </Action>
      </div>
    </Section>
  );
}
