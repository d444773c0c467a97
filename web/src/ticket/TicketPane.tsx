import { useQuery } from '@tanstack/react-query';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError, type Message, type TicketWithMessages } from '../api/client.ts';
import { commandProps, useCommands } from '../commands.ts';
import { Composer, type ComposerHandle } from '../compose/Composer.tsx';
import type { ComposerMode } from '../compose/composer-mode.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { type OwnState, useAttendance } from '../people/attendance.ts';
import { usePlace } from '../session/Guard.tsx';
import { changeTicket } from '../tickets/changes.ts';
import { membersQuery, ticketQuery } from '../tickets/queries.ts';
import { useSending } from '../tickets/sending.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import { isUndone, type OpenMessages, openAtFirst, withNewest, withOpen } from './open-messages.ts';
import { isEditable, TicketHead } from './TicketHead.tsx';
import styles from './TicketPane.module.css';
import { Timeline } from './Timeline.tsx';
import { focusedMessageId, useMessageKeys } from './use-message-keys.ts';
import { useSilenceUntil } from './use-silence.ts';

const ContactPanel = later(async () => (await import('./ContactPanel.tsx')).ContactPanel);

export type TicketPaneProps = {
  number: number;
  backTo: string;
  /** The area that arrow keys scroll while it has the focus. */
  scroll: RefObject<HTMLDivElement | null>;
  composing: ComposerMode | undefined;
  onCompose: (mode: ComposerMode | undefined) => void;
  onLeave: () => void;
};

const states: Record<ComposerMode, OwnState> = { answer: 'answering', note: 'noting' };
const nothingUnseen: ReadonlySet<string> = new Set();

/** The open ticket. The pane stays mounted when the next ticket opens, so that mail frames are reused. */
export function TicketPane({ number, backTo, scroll, composing, onCompose, onLeave }: TicketPaneProps) {
  const { workspace } = usePlace();
  const { data: ticket, error, refetch } = useQuery(ticketQuery(workspace.id, number));
  const sending = useSending(workspace.id, ticket);
  const messages = [...(ticket?.messages ?? []), ...sending];
  const [open, setOpen] = useOpenMessages(ticket?.id, messages);
  usePageTitle(ticket === undefined ? '' : `#${number} ${ticket.subject}`);
  const composer = useRef<ComposerHandle>(null);
  const shownId = ticket?.id;
  useAttendance(
    workspace.id,
    ticket?.trashedAt == null ? shownId : undefined,
    composing === undefined ? 'viewing' : states[composing],
  );
  useNewestInView(shownId, scroll);
  const contactId = ticket?.requester?.contactId;
  const contact = useContactPanel(contactId);
  const canWrite = ticket !== undefined && isEditable(ticket, workspace.role);
  const takeBack = (message: Message) => composer.current?.takeBack(message);
  const print = (wanted: readonly Message[]) => ticket !== undefined && void printLater(ticket, wanted);
  const forward = (message: Message | undefined) => message !== undefined && composer.current?.forward(message.id);
  useCommands({
    forward: canWrite ? () => forward(focusedMessage(ticket) ?? newestMail(ticket)) : undefined,
    print: ticket === undefined ? undefined : () => print(messages.filter((message) => !isUndone(message))),
  });
  useFolding(messages, open, setOpen);
  useSilenceUntil(composing === undefined || ticket !== undefined || error !== null);
  return (
    <article className={styles.pane} aria-labelledby={ticket === undefined ? undefined : 'ticket-subject'}>
      {ticket === undefined ? (
        <Waiting backTo={backTo} error={error} onRetry={() => void refetch()} />
      ) : (
        <Head ticket={ticket} backTo={backTo} contact={contactId === undefined ? undefined : contact} />
      )}
      <div
        className={styles.scroll}
        ref={scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll this area
        tabIndex={0}
        role="group"
        aria-label={words('ticket.messages')}
        data-scrolls
      >
        <Timeline
          ticket={ticket}
          messages={messages}
          open={open}
          onOpen={(message, wanted) => setOpen(withOpen(open, [message.id], wanted))}
          onUndo={takeBack}
          onRestore={canWrite ? takeBack : undefined}
          onForward={canWrite ? forward : undefined}
          onPrint={(message) => print([message])}
          onReplyTo={(addresses) => composer.current?.answerTo(addresses)}
        />
      </div>
      {canWrite && (
        <Composer
          key={ticket.id}
          ticket={ticket}
          mode={composing}
          onMode={onCompose}
          onLeave={onLeave}
          handle={composer}
        />
      )}
      <ShownContact contact={contact} contactId={contactId} currentNumber={number} />
    </article>
  );
}

async function printLater(ticket: TicketWithMessages, messages: readonly Message[]): Promise<void> {
  const { printMessages } = await import('./print.ts');
  await printMessages(ticket, messages);
}

const focusedMessage = ({ messages }: TicketWithMessages) => messages.find(({ id }) => id === focusedMessageId());

/** The message to forward by default. Notes are left out, so that none is forwarded by accident. */
function newestMail(ticket: TicketWithMessages): Message | undefined {
  return ticket.messages.findLast(({ isInternal }) => !isInternal);
}

/** Scrolls to the newest open message; older messages are above. */
function scrollToNewest(scroll: HTMLElement | null): void {
  const newest = [...(scroll?.querySelectorAll<HTMLElement>('article[data-message]') ?? [])].at(-1);
  if (scroll === null) return;
  scroll.scrollTop = newest === undefined ? 0 : newest.offsetTop - scroll.offsetTop - 48;
}

function useNewestInView(shownId: string | undefined, scroll: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    if (shownId !== undefined) scrollToNewest(scroll.current);
  }, [shownId, scroll]);
}

/** The open messages. The state starts anew with each ticket, and new messages open by themselves. */
function useOpenMessages(
  ticketId: string | undefined,
  messages: readonly Message[],
): [OpenMessages, (open: OpenMessages) => void] {
  const [state, setState] = useState(() => openAtFirst(''));
  if (ticketId === undefined) return [state, setState];
  const base = state.ticketId === ticketId ? state : openAtFirst(ticketId);
  const next = withNewest(base, messages, nothingUnseen);
  // Set during the render, so that React draws the new state in the same frame.
  if (next !== state) setState(next);
  return [next, setState];
}

/** Registers the keys that open and fold messages. */
function useFolding(messages: readonly Message[], open: OpenMessages, setOpen: (open: OpenMessages) => void): void {
  const ids = messages.map(({ id }) => id);
  const sentIds = messages.filter((message) => !isUndone(message)).map(({ id }) => id);
  useMessageKeys({
    onToggle: (id) => setOpen(withOpen(open, [id], document.querySelector(`article[data-message="${id}"]`) === null)),
    onOpenAll: () => setOpen(withOpen(open, sentIds, true)),
    onFoldAll: () => setOpen(withOpen(open, ids, false)),
  });
}

/** Shown while a ticket loads, or where it cannot be loaded. */
function Waiting({ backTo, error, onRetry }: { backTo: string; error: Error | null; onRetry: () => void }) {
  const isMissing = error instanceof ApiError && error.status < 500;
  return (
    <div className={styles.wait}>
      <Link href={backTo}>{words('ticket.back')}</Link>
      {error === null && <p>{words('loading')}</p>}
      {isMissing && <p role="alert">{words('ticket.notFound')}</p>}
      {error !== null && !isMissing && <Fault error={error} onRetry={onRetry} />}
    </div>
  );
}

type ContactPanelState = ReturnType<typeof useContactPanel>;

/** The state and the commands of the contact panel. */
function useContactPanel(contactId: string | undefined) {
  const [shown, setShown] = useState<'panel' | 'pictures'>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setShown(undefined);
    button.current?.focus();
  };
  useCommands({
    contactPanel: contactId === undefined ? undefined : () => (shown === undefined ? setShown('panel') : close()),
    remotePictures: contactId === undefined ? undefined : () => setShown('pictures'),
  });
  return { shown, close, button };
}

type ShownProps = { contact: ContactPanelState; contactId: string | undefined; currentNumber: number };

function ShownContact({ contact, contactId, currentNumber }: ShownProps) {
  if (contact.shown === undefined || contactId === undefined) return null;
  return (
    <ContactPanel
      key={contactId}
      contactId={contactId}
      currentNumber={currentNumber}
      arePicturesWanted={contact.shown === 'pictures'}
      onClose={contact.close}
    />
  );
}

type HeadProps = { ticket: TicketWithMessages; backTo: string; contact: ContactPanelState | undefined };

function Head({ ticket, backTo, contact }: HeadProps) {
  const { workspace } = usePlace();
  const canEdit = isEditable(ticket, workspace.role);
  return (
    <TicketHead
      ticket={ticket}
      backTo={backTo}
      onSubject={(subject) => void changeTicket(workspace.id, ticket, { subject })}
    >
      <Assignee ticket={ticket} disabled={!canEdit} />
      {contact !== undefined && (
        <Button
          ref={contact.button}
          look="quiet"
          {...commandProps('contactPanel')}
          className={styles.close}
          aria-expanded={contact.shown !== undefined}
        >
          {words('contact.label')}
        </Button>
      )}
      {canEdit && (
        <Button {...commandProps(ticket.status === 'closed' ? 'reopen' : 'close')} className={styles.close}>
          {words(ticket.status === 'closed' ? 'ticket.reopen' : 'ticket.close')}
        </Button>
      )}
    </TicketHead>
  );
}

function Assignee({ ticket, disabled }: { ticket: TicketWithMessages; disabled: boolean }) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const assignee = members.find(({ userId }) => userId === ticket.assigneeId);
  return (
    <Button look="quiet" {...commandProps('assign')} disabled={disabled}>
      <span className="visually-hidden">{words('ticket.assignee')}: </span>
      {assignee?.name ?? assignee?.email ?? words('ticket.nobody')}
    </Button>
  );
}
