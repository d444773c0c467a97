import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { SessionForm } from '../session/SessionForm.tsx';
import { Button } from '../ui/Button.tsx';
import { Choices } from '../ui/Choices.tsx';
import { Disclosure } from '../ui/Disclosure.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { OwnPassword } from './OwnPassword.tsx';
import { ownPasswordIn } from './own-password.ts';
import styles from './SecondFactor.module.css';
import { Section } from './Section.tsx';

const factorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: () => dataOf(api.GET('/v1/me/second-factor')),
});

type Secret = { secret: string; otpauthUri: string };

/** One-time codes of an authenticator app, asked for at every sign-in. */
export function SecondFactor() {
  const { data, error, refetch } = useQuery(factorQuery);
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  const confirm = async ({ code = '' }: Record<string, string>) => {
    const confirmed = await dataOf(api.POST('/v1/me/second-factor/confirm', { body: { code: code.trim() } }));
    setSecret(undefined);
    setCodes(confirmed.recoveryCodes);
    // Everything: a workspace that demands the factor refused its data until now.
    await queryClient.invalidateQueries();
  };
  return (
    <Section title={words('factor.title')} hint={words('factor.hint')}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {codes !== undefined && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      {data !== undefined && data.confirmedAt === null && secret === undefined && <SetUp onSecret={setSecret} />}
      {secret !== undefined && (
        <>
          <p>{words('factor.scan')}</p>
          <QrCode text={secret.otpauthUri} />
          <p>
            {words('factor.type')} <code className={styles.secret}>{secret.secret}</code>
          </p>
          <SessionForm action={words('factor.confirm')} onSubmit={confirm}>
            <Field
              label={words('factor.code')}
              name="code"
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              autoFocus
            />
          </SessionForm>
          <Button look="quiet" onClick={() => setSecret(undefined)}>
            {words('factor.cancel')}
          </Button>
        </>
      )}
      {data !== undefined && data.confirmedAt !== null && (
        <>
          <p>{words('factor.on', { time: fullTime(data.confirmedAt), count: data.recoveryCodesLeft })}</p>
          <WithCode onCodes={setCodes} />
        </>
      )}
    </Section>
  );
}

function SetUp({ onSecret }: { onSecret: (secret: Secret) => void }) {
  const begin = async (form: Record<string, string>) => {
    onSecret(await dataOf(api.POST('/v1/me/second-factor', { body: ownPasswordIn(form) })));
  };
  return (
    <SessionForm action={words('factor.begin')} onSubmit={begin}>
      <OwnPassword />
    </SessionForm>
  );
}

/** Makes new recovery codes or turns the second factor off, after a code and the password. */
function WithCode({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const [wanted, setWanted] = useState<'renew' | 'remove'>('renew');
  const send = async ({ code = '', ...form }: Record<string, string>) => {
    const body = { code: code.trim(), ...ownPasswordIn(form) };
    if (wanted === 'renew')
      onCodes((await dataOf(api.POST('/v1/me/second-factor/recovery-codes', { body }))).recoveryCodes);
    else await dataOf(api.DELETE('/v1/me/second-factor', { body }));
    await queryClient.invalidateQueries(factorQuery);
  };
  return (
    <Disclosure summary={words('factor.change')}>
      <SessionForm action={words(wanted === 'renew' ? 'factor.renew' : 'factor.remove')} onSubmit={send}>
        <Choices
          name="what"
          label={words('factor.change')}
          options={[
            ['renew', words('factor.renew')],
            ['remove', words('factor.remove')],
          ]}
          value={wanted}
          onChoose={setWanted}
        />
        <OwnPassword />
        <Field label={words('session.code')} name="code" autoComplete="one-time-code" required />
      </SessionForm>
    </Disclosure>
  );
}

/** Recovery codes are shown only once, as the service keeps only their hashes. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const copy = useMutation({ mutationFn: () => navigator.clipboard.writeText(codes.join('\n')) });
  return (
    <div role="status" className={styles.codes}>
      <p>{words('factor.codes')}</p>
      <pre>{codes.join('\n')}</pre>
      <div className={styles.buttons}>
        <a
          download="kontor-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`}
        >
          {words('factor.download')}
        </a>
        <Button onClick={() => copy.mutate()}>{words(copy.isSuccess ? 'factor.copied' : 'factor.copy')}</Button>
        <Button look="primary" onClick={onDone}>
          {words('factor.kept')}
        </Button>
      </div>
    </div>
  );
}

/** Always dark on light, because not every camera reads an inverted QR code. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg role="img" aria-label={words('factor.qr')} className={styles.qr} viewBox={`0 0 ${size} ${size}`}>
      <path d={path} />
    </svg>
  );
}
