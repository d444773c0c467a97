import { useMutation } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import { useLocation } from 'wouter';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { explain } from './explain.ts';
import { HistoryChoice } from './HistoryChoice.tsx';
import styles from './mailboxes.module.css';

const securities = ['tls', 'starttls', 'none'] as const;
type Security = (typeof securities)[number];
const ends = ['imap', 'smtp'] as const;

/** Connects a mailbox at any IMAP server. Its address fills in the servers. */
export function ServerForm() {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const fields = useRef<HTMLDivElement>(null);
  const discovery = useDiscovery(fields);
  const connect = async (given: Record<string, string>) => {
    const { address = '', password = '', username = '', historyDays = '0' } = given;
    const endOf = (end: (typeof ends)[number]) => ({
      host: given[`${end}Host`] ?? '',
      port: Number(given[`${end}Port`]),
      security: given[`${end}Security`] as Security,
    });
    const body = {
      provider: 'imap' as const,
      address,
      password,
      ...(username.trim() !== '' && { username }),
      imap: endOf('imap'),
      smtp: endOf('smtp'),
      historyDays: Number(historyDays),
    };
    const { id } = await inWorkspace(workspace.id).POST('/mailboxes', { body }).catch(explain);
    await queryClient.invalidateQueries(mailboxesQuery(workspace.id));
    navigate(`${paths.mailbox(id)}?consent=connected`);
  };
  return (
    <SessionForm action={words('mailboxes.servers.connect')} onSubmit={connect}>
      <div ref={fields} className={styles.server}>
        <Field
          label={words('mailboxes.servers.address')}
          name="address"
          type="email"
          autoComplete="off"
          required
          onBlur={({ target }) => target.validity.valid && discovery.mutate(target.value)}
        />
        {discovery.data !== undefined && discovery.data.provider !== 'imap' && (
          <p role="status" className={styles.hint}>
            {words('mailboxes.servers.noPassword')}
          </p>
        )}
        <Field
          label={words('mailboxes.servers.password')}
          name="password"
          type="password"
          autoComplete="off"
          required
        />
        <Field label={words('mailboxes.servers.username')} name="username" autoComplete="off" />
        {ends.map((end) => (
          <ServerFields key={end} end={end} />
        ))}
        <HistoryChoice />
      </div>
    </SessionForm>
  );
}

function ServerFields({ end }: { end: (typeof ends)[number] }) {
  return (
    <fieldset className={styles.end}>
      <legend>{words(`mailboxes.servers.${end}`)}</legend>
      <Field label={words('mailboxes.servers.host')} name={`${end}Host`} required />
      <Field
        label={words('mailboxes.servers.port')}
        name={`${end}Port`}
        type="number"
        min={1}
        max={65_535}
        defaultValue={end === 'imap' ? 993 : 465}
        required
      />
      <ChoiceField
        label={words('mailboxes.servers.security')}
        name={`${end}Security`}
        defaultValue="tls"
        options={securities.map((security) => [security, words(`mailboxes.servers.${security}`)])}
      />
    </fieldset>
  );
}

/** Fills in the likeliest servers of an address, unless somebody has named other servers. */
function useDiscovery(fields: RefObject<HTMLDivElement | null>) {
  const { workspace } = usePlace();
  return useMutation({
    mutationFn: async (address: string) => {
      const { candidates } = await inWorkspace(workspace.id).POST('/mailboxes/discover', { body: { address } });
      return candidates[0];
    },
    onSuccess: (candidate) => {
      const inputOf = (name: string) =>
        fields.current?.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`);
      for (const end of ends) {
        const server = candidate?.[end] ?? null;
        const host = inputOf(`${end}Host`);
        if (server === null || host == null || host.value !== (host.dataset.found ?? '')) continue;
        // Somebody is about to write there.
        if (host === document.activeElement) continue;
        host.value = server.host;
        host.dataset.found = server.host;
        const [port, security] = [inputOf(`${end}Port`), inputOf(`${end}Security`)];
        if (port != null) port.value = String(server.port);
        if (security != null) security.value = server.security;
      }
    },
  });
}
