import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { SecretOnce } from './SecretOnce.tsx';
import { Section } from './Section.tsx';
import { type WebhookFields, WebhookForm } from './WebhookForm.tsx';
import { WebhookPage } from './WebhookPage.tsx';
import styles from './Webhooks.module.css';
import { refreshWebhooks, type Webhook, webhooksQuery } from './webhooks.ts';

const listAddress = paths.settings('webhooks');

/** The webhooks of the workspace. The address names the open webhook. */
export function WebhookSettings() {
  const [, navigate] = useLocation();
  const webhookId = new URLSearchParams(useSearch()).get('webhook');
  const list = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The webhook that had the focus is gone.
    if (webhookId === null && wasOpen.current) list.current?.focus();
    wasOpen.current = webhookId !== null;
  }, [webhookId]);
  if (webhookId === null) return <Webhooks list={list} />;
  return (
    <>
      <p>
        <Link href={listAddress}>{words('webhooks.back')}</Link>
      </p>
      <WebhookPage key={webhookId} webhookId={webhookId} onDeleted={() => navigate(listAddress, { replace: true })} />
    </>
  );
}

function Webhooks({ list }: { list: RefObject<HTMLDivElement | null> }) {
  const { workspace } = usePlace();
  const { data = [], error, isPending, refetch } = useQuery(webhooksQuery(workspace.id));
  return (
    <>
      <Section title={words('webhooks.list')} hint={words('webhooks.hint')}>
        {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
        <div ref={list} tabIndex={-1}>
          {data.length === 0 && error === null && <p>{words(isPending ? 'loading' : 'webhooks.none')}</p>}
          <ul aria-label={words('webhooks.list')}>
            {data.map((webhook) => (
              <li key={webhook.id}>
                <span>
                  <Link href={`${listAddress}?webhook=${webhook.id}`}>{webhook.description || webhook.url}</Link>
                  <br />
                  <small className={styles.address}>{webhook.url}</small>
                </span>
                <State webhook={webhook} />
              </li>
            ))}
          </ul>
        </div>
      </Section>
      <NewWebhook />
    </>
  );
}

function State({ webhook: { status, failingSince } }: { webhook: Webhook }) {
  if (status === 'disabled') return <b className={styles.off}>{words('webhooks.disabled')}</b>;
  return failingSince === null ? (
    <span>{words('webhooks.active')}</span>
  ) : (
    <b className={styles.off}>{words('webhooks.failing')}</b>
  );
}

function NewWebhook() {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const create = async ({ url, description, events }: WebhookFields) => {
    const created = await dataOf(
      api.POST('/v1/workspaces/{workspaceId}/webhooks', {
        params: inWorkspace(workspace.id),
        body: { url, events, ...(description === '' ? {} : { description }) },
      }),
    );
    setMade(created);
    await refreshWebhooks(workspace.id);
  };
  return (
    <Section title={words('webhooks.new')}>
      {made === undefined ? (
        <WebhookForm action={words('webhooks.create')} onSubmit={create} />
      ) : (
        <SecretOnce
          title={words('webhooks.made')}
          label={words('webhooks.secret')}
          secret={made.secret}
          onDone={() => navigate(`${listAddress}?webhook=${made.id}`)}
        />
      )}
    </Section>
  );
}
