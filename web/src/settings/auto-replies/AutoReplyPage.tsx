import { useQuery } from '@tanstack/react-query';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { AutoReplyForm } from './AutoReplyForm.tsx';
import styles from './auto-replies.module.css';
import { type AutoReplyFields, bodyOf, fieldsOf, noFields } from './fields.ts';
import { type AutoReply, autoRepliesQuery, refreshAutoReplies } from './queries.ts';

type Props = { replyId: string; onDone: () => void };

/** A new automatic reply, or one with its state, its form and what it did today. */
export function AutoReplyPage({ replyId, onDone }: Props) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(autoRepliesQuery(workspace.id));
  if (replyId === 'new') return <NewAutoReply onDone={onDone} />;
  const reply = data?.find(({ id }) => id === replyId);
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  if (reply === undefined) return <p>{words(data === undefined ? 'loading' : 'autoReplies.gone')}</p>;
  return (
    <>
      <StateSection reply={reply} />
      <ChangeSection key={reply.version} reply={reply} />
      <DeleteSection reply={reply} onDone={onDone} />
    </>
  );
}

function NewAutoReply({ onDone }: { onDone: () => void }) {
  const { workspace } = usePlace();
  const create = async (fields: AutoReplyFields) => {
    await inWorkspace(workspace.id).POST('/auto-replies', { body: bodyOf(fields) });
    showToast(words('autoReplies.made'));
    await refreshAutoReplies(workspace.id);
    onDone();
  };
  return (
    <Section title={words('autoReplies.new')} hint={words('autoReplies.newHint')}>
      <AutoReplyForm before={noFields} action={words('autoReplies.create')} onSubmit={create} />
    </Section>
  );
}

function StateSection({ reply }: { reply: AutoReply }) {
  const { workspace } = usePlace();
  const { id, name, isActive, sentToday, withheldToday } = reply;
  const path = { autoReplyId: id };
  const turn = async () => {
    await inWorkspace(workspace.id).PATCH('/auto-replies/{autoReplyId}', { path, body: { isActive: !isActive } });
    await refreshAutoReplies(workspace.id);
  };
  const test = async () => {
    await inWorkspace(workspace.id).POST('/auto-replies/{autoReplyId}/test', { path });
    showToast(words('autoReplies.tested'));
  };
  return (
    <Section title={name} hint={words(isActive ? 'autoReplies.isOn' : 'autoReplies.isOff')}>
      <ul className={styles.counts}>
        <li>{words('autoReplies.sent', { count: sentToday })}</li>
        {withheldToday.map(({ reason, count }) => (
          <li key={reason}>
            {words('autoReplies.withheld', { count })}: {words(`autoReplies.why.${reason}`)}
          </li>
        ))}
      </ul>
      <div className={styles.actions}>
        <Action {...(!isActive && { look: 'primary' })} run={turn}>
          {words(isActive ? 'autoReplies.turnOff' : 'autoReplies.turnOn')}
        </Action>
        <Action run={test}>{words('autoReplies.test')}</Action>
      </div>
    </Section>
  );
}

function ChangeSection({ reply }: { reply: AutoReply }) {
  const { workspace } = usePlace();
  const save = async (fields: AutoReplyFields) => {
    await inWorkspace(workspace.id).PATCH('/auto-replies/{autoReplyId}', {
      path: { autoReplyId: reply.id },
      body: bodyOf(fields),
    });
    showToast(words('settings.saved'));
    await refreshAutoReplies(workspace.id);
  };
  return (
    <Section title={words('autoReplies.change')}>
      <AutoReplyForm before={fieldsOf(reply)} action={words('autoReplies.save')} onSubmit={save} />
    </Section>
  );
}

function DeleteSection({ reply: { id, name }, onDone }: { reply: AutoReply; onDone: () => void }) {
  const { workspace } = usePlace();
  const remove = async () => {
    await inWorkspace(workspace.id).DELETE('/auto-replies/{autoReplyId}', { path: { autoReplyId: id } });
    onDone();
    await refreshAutoReplies(workspace.id);
  };
  return (
    <Section title={words('autoReplies.delete')} hint={words('autoReplies.deleteHint')}>
      <Action look="danger" sure={words('autoReplies.deleteSure', { name })} run={remove}>
        {words('autoReplies.delete')}
      </Action>
    </Section>
  );
}
