import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { signOutEverywhere } from '../session/forget.ts';
import { PasswordField } from '../session/PasswordField.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { browserWords } from './browser-words.ts';
import { LinkedAccounts } from './LinkedAccounts.tsx';
import { SecondFactor } from './SecondFactor.tsx';
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
  const { data = [], error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (sessionId: string) =>
      dataOf(api.DELETE('/v1/me/sessions/{sessionId}', { params: { path: { sessionId } } })),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  });
  const endOthers = useMutation({
    mutationFn: () => dataOf(api.DELETE('/v1/me/sessions')),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  });
  const leave = useMutation({
    mutationFn: signOutEverywhere,
    onSuccess: (isOut) => isOut && navigate(paths.signIn, { replace: true }),
  });
  const fault = error ?? end.error ?? endOthers.error ?? leave.error;
  return (
    <Section title={words('security.sessions')} hint={words('security.sessionsHint')}>
      {fault !== null && <Fault error={fault} onRetry={() => void refetch()} />}
      <ul>
        {data.map(({ id, userAgent, ip, lastUsedAt, isCurrent }) => (
          <li key={id}>
            <span>
              {browserWords(userAgent)} · {ip ?? words('security.unknownPlace')} ·{' '}
              {isCurrent ? (
                <b>{words('security.thisOne')}</b>
              ) : (
                words('security.lastUsed', { time: fullTime(lastUsedAt) })
              )}
            </span>
            {!isCurrent && (
              <Button disabled={end.isPending} onClick={() => end.mutate(id)}>
                {words('security.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {data.length > 1 && (
        <Button disabled={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {words('security.endOthers')}
        </Button>
      )}
      <Button disabled={leave.isPending} onClick={() => leave.mutate()}>
        {words('session.signOutEverywhere')}
      </Button>
    </Section>
  );
}
