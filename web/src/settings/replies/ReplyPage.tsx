import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../../api/cache.ts';
import { ApiError, inWorkspace } from '../../api/client.ts';
import { repliesKey, type SavedReply, savedReplyQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { ReplyForm } from './ReplyForm.tsx';
import { bodyOf, fieldsOf, newReply, type ReplyFields } from './reply-fields.ts';

type Props = { replyId: string; onDone: () => void };

/** Makes or changes a saved reply. */
export function ReplyPage({ replyId, onDone }: Props) {
  return replyId === 'new' ? <NewReply onDone={onDone} /> : <KeptReply replyId={replyId} onDone={onDone} />;
}

function NewReply({ onDone }: Pick<Props, 'onDone'>) {
  const { workspace } = usePlace();
  const create = useSaving(
    (fields) => inWorkspace(workspace.id).POST('/saved-replies', { body: bodyOf(fields) }),
    onDone,
  );
  return (
    <Section title={words('savedReplies.new')}>
      <ReplyForm version="new" initial={newReply} mayShare action={words('savedReplies.create')} saving={create} />
    </Section>
  );
}

function KeptReply({ replyId, onDone }: Props) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery({ ...savedReplyQuery(workspace.id, replyId), refetchOnMount: 'always' });
  // The form keeps the version that it began with, so that it never overwrites a colleague's change unseen.
  const [shown, setShown] = useState<SavedReply>();
  if (shown === undefined && data !== undefined) setShown(data);
  if (shown === undefined)
    return error === null ? <p>{words('loading')}</p> : <Fault error={error} onRetry={() => void refetch()} />;
  const reload = async () => setShown((await refetch()).data);
  return (
    <>
      <ChangeSection key={shown.version} reply={shown} onDone={onDone} onReload={() => void reload()} />
      <DeleteSection reply={shown} onDone={onDone} />
    </>
  );
}

type KeptProps = { reply: SavedReply; onDone: () => void };

function ChangeSection({ reply, onDone, onReload }: KeptProps & { onReload: () => void }) {
  const { workspace, userId } = usePlace();
  const mayShare = reply.createdBy === userId;
  const change = useSaving((fields) => {
    const { isShared, ...body } = bodyOf(fields);
    return inWorkspace(workspace.id).PATCH('/saved-replies/{savedReplyId}', {
      path: { savedReplyId: reply.id },
      headers: { 'if-match': `"${reply.version}"` },
      body: { ...body, ...(mayShare && { isShared }) },
    });
  }, onDone);
  const isOverwritten = change.error instanceof ApiError && change.error.key === 'saved_reply.version_mismatch';
  return (
    <Section title={reply.name}>
      <ReplyForm
        version={`${reply.id} ${reply.version}`}
        initial={fieldsOf(reply)}
        mayShare={mayShare}
        action={words('savedReplies.save')}
        saving={change}
      />
      {isOverwritten && <Button onClick={onReload}>{words('savedReplies.reload')}</Button>}
    </Section>
  );
}

function DeleteSection({ reply: { id, name, isShared, createdBy }, onDone }: KeptProps) {
  const { workspace, userId } = usePlace();
  const isManager = useIsManager();
  const remove = async () => {
    await inWorkspace(workspace.id).DELETE('/saved-replies/{savedReplyId}', { path: { savedReplyId: id } });
    await finish(workspace.id, words('savedReplies.deleted', { name }), onDone);
  };
  if (isShared && createdBy !== userId && !isManager) return null;
  const sure = words(isShared ? 'savedReplies.deleteSharedSure' : 'savedReplies.deleteSure', { name });
  return (
    <Section
      title={words('savedReplies.delete')}
      hint={words(isShared ? 'savedReplies.deleteSharedHint' : 'savedReplies.deleteHint')}
    >
      <Action look="danger" sure={sure} run={remove}>
        {words('savedReplies.delete')}
      </Action>
    </Section>
  );
}

function useSaving(save: (fields: ReplyFields) => Promise<SavedReply>, onDone: () => void) {
  const { workspace } = usePlace();
  return useMutation({
    mutationFn: save,
    onSuccess: ({ name }) => finish(workspace.id, words('savedReplies.saved', { name }), onDone),
  });
}

function finish(workspaceId: string, told: string, onDone: () => void): Promise<void> {
  showToast(told);
  onDone();
  return queryClient.invalidateQueries({ queryKey: repliesKey(workspaceId) });
}
