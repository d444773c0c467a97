import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { useCommands } from '../commands.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { preferences } from '../lib/preferences.ts';
import { randomId } from '../lib/random-id.ts';
import { paths } from '../paths.ts';
import type { ReplyFor } from '../replies/queries.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { DraftConflict } from './draft/DraftConflict.tsx';
import { DraftStatus } from './draft/DraftStatus.tsx';
import { type DraftContent, missingIn, replyOf } from './draft/draft-content.ts';
import type { DraftKeeper } from './draft/draft-keeper.ts';
import type { WritingBoxHandle } from './editor/writing-box-props.ts';
import { withoutLostReply } from './lost-reply.ts';
import styles from './NewTicketPage.module.css';
import { keepNewTicketDraft, useNewTicketDraft } from './new-ticket-draft.ts';
import { OpenTicketsHint } from './OpenTicketsHint.tsx';
import { AddressField } from './recipients/AddressField.tsx';
import { isAddress } from './recipients/addresses.ts';
import { MailboxChoice } from './sender/MailboxChoice.tsx';
import { ownAddress } from './sender/sender.ts';
import { type Sender, useSender } from './sender/use-sender.ts';
import { isUnanswered, untilAnswered } from './until-answered.ts';
import { useUploads } from './use-uploads.ts';
import { WritingArea } from './WritingArea.tsx';

const unknown = () => undefined;

/** Creates a ticket: with a mail to a customer, or an internal ticket. */
export function NewTicketPage() {
  const { workspace, userId } = usePlace();
  usePageTitle(words('new.title'));
  const { keeper, draft } = useNewTicketDraft(userId, workspace.id);
  const { content } = draft;
  const [isInternal, setIsInternal] = useState(false);
  const box = useRef<WritingBoxHandle>(null);
  const picker = useRef<HTMLInputElement>(null);
  const files = useUploads(workspace.id, {
    keeper,
    onPicture: (file, uploaded) => box.current?.insertPicture(file, uploaded),
  });
  const from = useSender(content.mailboxId);
  const create = useCreate(workspace.id, keeper, from);
  const canCreate =
    isComplete(content, isInternal) && files.uploads.length === 0 && !create.isPending && draft.state !== 'conflict';
  const submit = () => canCreate && create.mutate({ content, isInternal });
  const form = useRef<HTMLFormElement>(null);
  const inside = (run: () => void) => () => form.current?.contains(document.activeElement) === true && run();
  useCommands({
    send: inside(submit),
    attach: inside(() => picker.current?.click()),
    insertReply: (savedReplyId) => box.current?.openReplies(savedReplyId),
  });
  return (
    <main className={styles.page}>
      <form
        ref={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Link href={paths.inbox}>{words('ticket.back')}</Link>
        <h1>{words('new.title')}</h1>
        <KindChoice isInternal={isInternal} onChange={setIsInternal} />
        {!isInternal && <MailFields content={content} keeper={keeper} from={from} />}
        <Field
          label={words('ticket.subject')}
          maxLength={500}
          value={content.subject}
          onChange={({ target }) => keeper.change({ subject: target.value })}
        />
        {draft.state === 'conflict' && <DraftConflict draft={draft} keeper={keeper} />}
        <WritingArea
          {...{ keeper, draft, box, picker, files, mailboxId: from.mailboxId }}
          isNote={isInternal}
          onWrite={(written) => keeper.change(written)}
          replyFor={replyForOf({ ...content, mailboxId: from.mailboxId }, isInternal)}
        />
        {create.error !== null && <Fault error={create.error} />}
        <div className={styles.actions}>
          <Button type="submit" look="primary" disabled={!canCreate}>
            {words(isInternal ? 'new.create' : 'new.send')}
          </Button>
          <DraftStatus draft={draft} />
        </div>
      </form>
    </main>
  );
}

function isComplete(content: DraftContent, isInternal: boolean): boolean {
  const { subject, body, to, cc, bcc } = content;
  const hasPeople = isInternal || (to.length > 0 && [...to, ...cc, ...bcc].every(isAddress));
  // The service looks up the person of a mail when it sends it, and refuses the mail if a variable has no value.
  const isFilled = !isInternal || missingIn(content).length === 0;
  return hasPeople && isFilled && subject.trim() !== '' && body.trim() !== '';
}

/** Values of a saved reply come from the fields that are already filled. */
function replyForOf({ to, subject, mailboxId }: DraftContent, isInternal: boolean): ReplyFor {
  const [email] = to;
  return {
    ...(!isInternal && email !== undefined && isAddress(email) && { requester: { email } }),
    ...(subject.trim() !== '' && { subject }),
    mailboxId,
  };
}

function KindChoice({ isInternal, onChange }: { isInternal: boolean; onChange: (isInternal: boolean) => void }) {
  return (
    <div role="group" aria-label={words('new.kind')}>
      <Button look="quiet" aria-pressed={!isInternal} onClick={() => onChange(false)}>
        {words('new.customer')}
      </Button>
      <Button look="quiet" aria-pressed={isInternal} onClick={() => onChange(true)}>
        {words('new.internal')}
      </Button>
    </div>
  );
}

/** The recipients of the first mail, and the mailbox that sends it. */
function MailFields({ content, keeper, from }: { content: DraftContent; keeper: DraftKeeper; from: Sender }) {
  return (
    <>
      {(['to', 'cc', 'bcc'] as const).map((kind) => (
        <div key={kind} className={styles.address}>
          <AddressField
            label={words(`compose.${kind}`)}
            addresses={content[kind]}
            onChange={(changed) => keeper.change({ [kind]: changed, areRecipientsChosen: true })}
            nameOf={unknown}
            opens="down"
          />
        </div>
      ))}
      <OpenTicketsHint address={content.to[0]} />
      <MailboxChoice from={from} onChange={(mailboxId) => keeper.change({ mailboxId })} />
    </>
  );
}

type Creating = { content: DraftContent; isInternal: boolean };

function useCreate(workspaceId: string, keeper: DraftKeeper, from: Sender) {
  const [, navigate] = useLocation();
  const create = (content: DraftContent, isInternal: boolean) => {
    const { subject, body, bodyHtml, to, cc, bcc, files } = content;
    const mailed = {
      ...{ sendEmail: true, sendAfterSeconds: preferences().undoSendSeconds, ...from.body },
      ...{ requester: { email: to[0] ?? '' }, toAddresses: to, ccAddresses: cc, bccAddresses: bcc },
    };
    const written = {
      ...{ subject, body, attachmentIds: files.map(({ id }) => id) },
      ...replyOf(content),
      ...(bodyHtml === null ? {} : { bodyHtml }),
      ...(isInternal ? {} : mailed),
    };
    const params = inWorkspace(workspaceId);
    const header = { ...params.header, 'idempotency-key': randomId() };
    return untilAnswered(async () => {
      const body = { ...(await keeper.draftOfSent()), ...written };
      return dataOf(api.POST('/v1/workspaces/{workspaceId}/tickets', { params: { ...params, header }, body }));
    });
  };
  return useMutation({
    mutationFn: async ({ content, isInternal }: Creating) => {
      keeper.beginSend();
      // The service fills the variables of a saved reply: without the reply, they would go to the customer.
      const send = content.body.includes('{{') ? create : withoutLostReply(create);
      return send(content, isInternal);
    },
    onSuccess: async ({ ticketNumber, mailboxId }, { isInternal }) => {
      if (!isInternal) from.remember(mailboxId ?? ownAddress);
      await keepNewTicketDraft(workspaceId, null);
      keeper.endSend();
      navigate(paths.ticket(ticketNumber));
    },
    onError: (error, { content }) => keeper.endSend(content, isUnanswered(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'tickets'] }),
  });
}
