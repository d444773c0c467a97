import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { providerName } from '../session/ProviderButtons.tsx';
import { answerForLink, beginAt, keepForLink, type ProviderAnswer } from '../session/provider-sign-in.ts';
import { configQuery } from '../session/queries.ts';
import { SessionForm } from '../session/SessionForm.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { OwnPassword } from './OwnPassword.tsx';
import { ownPasswordIn } from './own-password.ts';
import { Section } from './Section.tsx';
import { addressIn } from './token-address.ts';

const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: () => dataOf(api.GET('/v1/me/identities')),
});

/** The accounts at identity providers that sign in to this account. */
export function LinkedAccounts() {
  const { data: config } = useQuery(configQuery);
  const { data: linked = [], error, refetch } = useQuery(identitiesQuery);
  const [answer, setAnswer] = useState(answerForLink);
  useEffect(() => keepForLink(undefined), []);
  const [leavingId, setLeavingId] = useState<string>();
  const providers = config?.identityProviders ?? [];
  const offered = providers.filter(({ authorizeUrl }) => authorizeUrl !== null);
  if (offered.length === 0 && linked.length === 0) return null;
  const nameOf = (key: string) => {
    const provider = providers.find((known) => known.provider === key);
    return provider === undefined ? key : providerName(provider);
  };
  return (
    <Section title={words('linked.title')} hint={words('linked.hint')}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {answer !== undefined && 'refusal' in answer && (
        <p role="alert">{words('session.providerRefused', { reason: answer.refusal })}</p>
      )}
      {answer !== undefined && 'idToken' in answer && (
        <LinkForm answer={answer} name={nameOf(answer.provider)} onEnd={() => setAnswer(undefined)} />
      )}
      <ul>
        {linked.map(({ id, provider, linkedAt }) => (
          <li key={id}>
            <span>
              {nameOf(provider)} · {words('linked.since', { time: fullTime(linkedAt) })}
            </span>
            {leavingId === id ? (
              <UnlinkForm id={id} name={nameOf(provider)} onEnd={() => setLeavingId(undefined)} />
            ) : (
              <Button onClick={() => setLeavingId(id)}>{words('linked.unlink', { provider: nameOf(provider) })}</Button>
            )}
          </li>
        ))}
      </ul>
      {answer === undefined &&
        offered.map((provider) => (
          <Button key={provider.provider} onClick={() => beginAt(provider, 'link')}>
            {words('linked.link', { provider: providerName(provider) })}
          </Button>
        ))}
    </Section>
  );
}

type LinkProps = { answer: ProviderAnswer; name: string; onEnd: () => void };

function LinkForm({ answer: { provider, idToken, nonce }, name, onEnd }: LinkProps) {
  const link = async (form: Record<string, string>) => {
    const body = { provider, idToken, nonce, ...ownPasswordIn(form) };
    queryClient.setQueryData(identitiesQuery.queryKey, await dataOf(api.POST('/v1/me/identities', { body })));
    onEnd();
  };
  const account = addressIn(idToken) ?? name;
  return (
    <>
      <p role="status">{words('linked.confirm', { account })}</p>
      <SessionForm action={words('linked.link', { provider: name })} onSubmit={link}>
        <OwnPassword />
      </SessionForm>
      <Button look="quiet" onClick={onEnd}>
        {words('linked.cancel')}
      </Button>
    </>
  );
}

function UnlinkForm({ id, name, onEnd }: { id: string; name: string; onEnd: () => void }) {
  const unlink = async (form: Record<string, string>) => {
    const params = { path: { identityId: id } };
    await dataOf(api.DELETE('/v1/me/identities/{identityId}', { params, body: ownPasswordIn(form) }));
    await queryClient.invalidateQueries(identitiesQuery);
    onEnd();
  };
  return (
    <>
      <SessionForm action={words('linked.unlink', { provider: name })} onSubmit={unlink}>
        <OwnPassword />
      </SessionForm>
      <Button look="quiet" onClick={onEnd}>
        {words('linked.cancel')}
      </Button>
    </>
  );
}
