import { useState } from 'react';
import { SessionForm } from '../../session/SessionForm.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import styles from './Webhooks.module.css';
import { type Webhook, type WebhookEvent, webhookEvents } from './webhooks.ts';

const urlMax = 2_000;
const descriptionMax = 500;

export type WebhookFields = { url: string; description: string; events: WebhookEvent[] };
type Props = {
  webhook?: Pick<Webhook, 'url' | 'description' | 'events'>;
  action: string;
  onSubmit: (fields: WebhookFields) => Promise<unknown>;
};

/** Address, description and events of a webhook. */
export function WebhookForm({ webhook, action, onSubmit }: Props) {
  const before = webhook?.events ?? [];
  const [isAll, setIsAll] = useState(before.length === 0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(before));
  const submit = ({ url = '', description = '' }: Record<string, string>) =>
    onSubmit({ url, description, events: isAll ? [] : webhookEvents.filter((event) => chosen.has(event)) });
  const toggle = (event: WebhookEvent) => {
    const next = new Set(chosen);
    if (!next.delete(event)) next.add(event);
    setChosen(next);
  };
  return (
    <SessionForm action={action} onSubmit={submit}>
      <Field
        label={words('webhooks.url')}
        name="url"
        type="url"
        placeholder="https://"
        autoComplete="off"
        maxLength={urlMax}
        required
        defaultValue={webhook?.url}
      />
      <Field
        label={words('webhooks.description')}
        name="description"
        autoComplete="off"
        maxLength={descriptionMax}
        defaultValue={webhook?.description ?? ''}
      />
      <Choices
        name="which"
        label={words('webhooks.events')}
        options={[
          ['all', words('webhooks.allEvents')],
          ['some', words('webhooks.someEvents')],
        ]}
        value={isAll ? 'all' : 'some'}
        onChoose={(which) => setIsAll(which === 'all')}
      />
      {!isAll && (
        <fieldset className={styles.events}>
          <legend className="visually-hidden">{words('webhooks.events')}</legend>
          {webhookEvents.map((event) => (
            <Checkbox
              key={event}
              checked={chosen.has(event)}
              // An empty list would mean all events. One box has to be checked.
              required={chosen.size === 0}
              onChange={() => toggle(event)}
            >
              {words(`webhooks.event.${event}`)} <code>{event}</code>
            </Checkbox>
          ))}
        </fieldset>
      )}
    </SessionForm>
  );
}
