import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { inWorkspace } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { HeadAction } from '../HeadAction.tsx';
import { SecretOnce } from '../SecretOnce.tsx';
import { Section } from '../Section.tsx';
import { type WebhookFields, WebhookForm } from './WebhookForm.tsx';
import { WebhookPage } from './WebhookPage.tsx';
import styles from './Webhooks.module.css';
import { refreshWebhooks, type Webhook, webhooksQuery } from './webhooks.ts';

const listAddress = paths.settings('webhooks');

/** The webhooks of the workspace. The address names the open webhook. */
export function WebhookSettings() {
  const [, navigate] = useLocation();
  const webhookId = new URLSearchParams(useSearch()).get('webhook');
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = webhookId !== null;
  }, [webhookId]);
  if (webhookId === null) return <Webhooks isBack={wasOpen.current} />;
  return (
    <>
      <BackLink href={listAddress}>{words('webhooks.back')}</BackLink>
      <WebhookPage key={webhookId} webhookId={webhookId} onDeleted={() => navigate(listAddress, { replace: true })} />
    </>
  );
}

function Webhooks({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const source = useQuery(webhooksQuery(workspace.id));
  const [isMaking, setIsMaking] = useState(false);
  return (
    <>
      <HeadAction>
        <Button look="primary" onClick={() => setIsMaking(true)}>
          <Icon name="plus" />
          {words('webhooks.new')}
        </Button>
      </HeadAction>
      {isMaking && <NewWebhook onClose={() => setIsMaking(false)} />}
      <Section title={words('webhooks.list')} count={source.data?.length}>
        <PagedList label={words('webhooks.list')} source={source} none={words('webhooks.none')} isBack={isBack}>
          {(webhook) => (
            <li key={webhook.id}>
              <span dir="auto">
                <Link href={`${listAddress}?webhook=${webhook.id}`}>{webhook.description || webhook.url}</Link>
                <br />
                <small>{webhook.url}</small>
              </span>
              <State webhook={webhook} />
            </li>
          )}
        </PagedList>
      </Section>
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

function NewWebhook({ onClose }: { onClose: () => void }) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const create = async ({ url, description, events }: WebhookFields) => {
    const created = await inWorkspace(workspace.id).POST('/webhooks', {
      body: { url, events, ...(description === '' ? {} : { description }) },
    });
    setMade(created);
    await refreshWebhooks(workspace.id);
  };
  return (
    <Dialog title={words('webhooks.new')} onClose={onClose}>
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
    </Dialog>
  );
}
