import { type RefObject, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { commandProps, commandWords, keysOf, useCommands } from '../../commands.ts';
import { isAddress } from '../../lib/addresses.ts';
import { usePageTitle } from '../../lib/page-title.ts';
import { paths } from '../../paths.ts';
import type { ReplyFor } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { openOverlay } from '../../shell/overlay.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { KeyCap } from '../../ui/KeyCap.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Segmented } from '../../ui/Segmented.tsx';
import { words } from '../../words/words.ts';
import composerStyles from '../Composer.module.css';
import { DraftConflict } from '../draft/DraftConflict.tsx';
import { DraftStatus } from '../draft/DraftStatus.tsx';
import { discardDraft } from '../draft/discard.ts';
import { type DraftContent, missingIn, nothingWritten } from '../draft/draft-content.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import type { WritingBoxHandle } from '../editor/writing-box-props.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import { useUploads } from '../files/use-uploads.ts';
import { isEscape } from '../is-escape.ts';
import { MoreSends } from '../MoreSends.tsx';
import { SignaturePreview } from '../SignaturePreview.tsx';
import { useSender } from '../sender/use-sender.ts';
import { WritingArea } from '../WritingArea.tsx';
import { MailLines, SubjectLine } from './MailLines.tsx';
import styles from './NewTicketPage.module.css';
import { newTicketHome, offerApart, useNewTicketDraft } from './new-ticket-draft.ts';
import { OpenTicketsHint } from './OpenTicketsHint.tsx';
import { StartsAs } from './StartsAs.tsx';
import { useStart } from './start.ts';
import { useCreate } from './use-create.ts';

type Props = {
  /** The list beside the card, as the address writes it. */
  listed: string;
};

/**
 * Creates a ticket: with a mail to a customer, or an internal ticket. A card beside the list. It goes on with the
 * newest draft, unless the address names another.
 */
export function NewTicketPage({ listed }: Props) {
  const draftId = new URLSearchParams(useSearch()).get('draft') ?? undefined;
  return <NewTicketCard key={draftId ?? ''} listed={listed} draftId={draftId} />;
}

type CardProps = Props & { draftId: string | undefined };

function NewTicketCard({ listed, draftId }: CardProps) {
  const [isInternal, setIsInternal] = useState(false);
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const leave = useWayBack(listed);
  const writing = useWriting({ listed, draftId, isInternal, form, leave });
  const { keeper, draft, other, box, picker, files, from, start, create, canCreate, submit, submitLater, discard } =
    writing;
  const { content } = draft;
  usePageTitle(words('new.title'));
  const isDropping = useFileDrop((dropped) => files.add(dropped, false));
  return (
    <div className={styles.well}>
      <form
        ref={form}
        className={styles.card}
        aria-labelledby="new-ticket"
        onKeyDown={(event) => isEscape(event) && leave()}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <header className={styles.head}>
          <h1 id="new-ticket">{words('new.title')}</h1>
          <KindChoice isInternal={isInternal} onChange={setIsInternal} />
          <DraftStatus draft={draft} />
          <IconButton icon="close" size="control" aria-label={words('compose.close')} onClick={leave} />
        </header>
        {other !== undefined && !content.to.includes(other) && (
          <Notice role="status">{words('new.draftFirst', { email: other })}</Notice>
        )}
        {!isInternal && <MailLines content={content} keeper={keeper} from={from} />}
        <SubjectLine subject={content.subject} onChange={(subject) => keeper.change({ subject })} />
        {draft.state === 'conflict' && <DraftConflict draft={draft} keeper={keeper} />}
        <div className={styles.text}>
          <WritingArea
            {...{ keeper, draft, box, picker, files, tools, isNote: isInternal }}
            onWrite={(written) => keeper.change(written)}
            replyFor={replyForOf({ ...content, mailboxId: from.mailboxId }, isInternal)}
          >
            {!isInternal && (
              <div className={styles.signature}>
                <SignaturePreview mailboxId={from.mailboxId} />
              </div>
            )}
          </WritingArea>
        </div>
        <StartsAs start={start} onChange={(startsAs) => keeper.change({ startsAs })} />
        {create.error !== null && <Fault error={create.error} />}
        <div className={styles.foot}>
          <div ref={setTools} className={styles.tools} />
          {discard !== undefined && (
            <IconButton icon="trash" {...commandProps('discard')} aria-label={commandWords('discard')} />
          )}
          <div className={composerStyles.send}>
            <Button type="submit" look="primary" disabled={!canCreate}>
              {words(isInternal ? 'new.create' : 'compose.send')}
              <KeyCap keys={keysOf('send')[0]} />
            </Button>
            {!isInternal && <MoreSends ways={{ sendLater: submitLater }} disabled={!canCreate} />}
          </div>
        </div>
        {isDropping && <p className={composerStyles.drop}>{words('files.drop')}</p>}
      </form>
      {!isInternal && <OpenTicketsHint address={content.to[0]} />}
    </div>
  );
}

/** Leads back to the ticket or list where the person was, and to what had the focus there. */
function useWayBack(listed: string): () => void {
  const [, navigate] = useLocation();
  const [opener] = useState(() => document.activeElement);
  return () => {
    navigate(window.history.state?.from ?? paths.list(listed));
    // The page before must be drawn first, and the opener may be gone with it.
    setTimeout(() => opener instanceof HTMLElement && opener.isConnected && opener.focus());
  };
}

type Writing = CardProps & { isInternal: boolean; form: RefObject<HTMLFormElement | null>; leave: () => void };

/** The draft, its files and sender, and the commands that send it. */
function useWriting({ listed, draftId, isInternal, form, leave }: Writing) {
  const { workspace, userId } = usePlace();
  const [, navigate] = useLocation();
  const place = { userId, workspaceId: workspace.id, draftId };
  const { keeper, draft, other } = useNewTicketDraft(place);
  const { content } = draft;
  const box = useRef<WritingBoxHandle>(null);
  const picker = useRef<HTMLInputElement>(null);
  const files = useUploads(workspace.id, {
    keeper,
    onPicture: (file, uploaded) => box.current?.insertPicture(file, uploaded),
  });
  const from = useSender(content.mailboxId);
  const start = useStart(workspace.id, content);
  const create = useCreate(place, { keeper, from, listed });
  const canCreate =
    isComplete(content, isInternal) && files.uploads.length === 0 && !create.isPending && draft.state !== 'conflict';
  const submit = () => canCreate && create.mutate({ content, start, isInternal });
  const submitLater = () => {
    const onPick = (at: Date) => create.mutate({ content, start, isInternal, sendAt: at.toISOString() });
    if (canCreate) openOverlay({ kind: 'sendLater', isFirst: true, onPick });
  };
  const discard = ['saved', 'unsaved'].includes(draft.state)
    ? () => {
        // Escape then leads back to where the card was opened.
        const { state } = window.history;
        leave();
        for (const { cancel } of files.uploads) cancel();
        const onUndo = () => navigate(paths.newTicketBeside(listed), { state });
        if (draftId === undefined) discardDraft(newTicketHome(place), { onUndo });
        else discardApart(keeper, workspace.id);
      }
    : undefined;
  const inside = (run: () => void) => () => form.current?.contains(document.activeElement) === true && run();
  useCommands({
    send: inside(submit),
    sendLater: isInternal ? undefined : inside(submitLater),
    attach: inside(() => picker.current?.click()),
    discard,
    insertReply: (savedReplyId) => box.current?.openReplies(savedReplyId),
  });
  return { keeper, draft, other, box, picker, files, from, start, create, canCreate, submit, submitLater, discard };
}

/** Empties a draft that is not the newest, which deletes it. */
function discardApart(keeper: DraftKeeper, workspaceId: string): void {
  const { content } = keeper.read();
  keeper.replace(nothingWritten);
  offerApart(workspaceId, content);
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
    <Segmented label={words('new.kind')}>
      <button type="button" aria-pressed={!isInternal} onClick={() => onChange(false)}>
        {words('new.customer')}
      </button>
      <button type="button" aria-pressed={isInternal} onClick={() => onChange(true)}>
        {words('new.internal')}
      </button>
    </Segmented>
  );
}
