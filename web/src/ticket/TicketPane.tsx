import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError, type Message, type TicketWithMessages } from '../api/client.ts';
import { useCommands } from '../commands.ts';
import { Composer, type ComposerHandle } from '../compose/Composer.tsx';
import type { ComposerMode } from '../compose/composer-mode.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { paths } from '../paths.ts';
import { type OwnState, useAttendance } from '../people/attendance.ts';
import { usePlace } from '../session/Guard.tsx';
import { changeRequester } from '../tickets/change-requester.ts';
import { ticketQuery } from '../tickets/queries.ts';
import { useSending } from '../tickets/sending/sending.ts';
import { Fault } from '../ui/Fault.tsx';
import { later } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import { copyText } from './copy-text.ts';
import { isEditable } from './is-editable.ts';
import { isUndone, type OpenMessages, openAtFirst, withNewest, withOpen } from './open-messages.ts';
import { Rail } from './rail/Rail.tsx';
import { useRail } from './rail/use-rail.ts';
import { TicketHead } from './TicketHead.tsx';
import styles from './TicketPane.module.css';
import { Timeline } from './Timeline.tsx';
import { focusedMessageId, useMessageKeys } from './use-message-keys.ts';
import { useSilenceUntil } from './use-silence.ts';
import type { RequesterChoice } from './Warnings.tsx';

export type TicketPaneProps = {
  number: number;
  backTo: string;
  /** The area that arrow keys scroll while it has the focus. */
  scroll: RefObject<HTMLDivElement | null>;
  composing: ComposerMode | undefined;
  onCompose: (mode: ComposerMode | undefined) => void;
  onLeave: () => void;
};

const WhyDialog = later(() => import('./why/WhyDialog.tsx'), 'WhyDialog');

const states: Record<ComposerMode, OwnState> = { answer: 'answering', note: 'noting' };
const nothingUnseen: ReadonlySet<string> = new Set();

/** The open ticket. The pane stays mounted when the next ticket opens, so that mail frames are reused. */
export function TicketPane({ number, backTo, scroll, composing, onCompose, onLeave }: TicketPaneProps) {
  const { workspace } = usePlace();
  const { ticket, error, refetch } = useTicket(workspace.id, number);
  const sending = useSending(workspace.id, ticket);
  const messages = [...(ticket?.messages ?? []), ...sending];
  usePageTitle(ticket === undefined ? '' : `#${number} ${ticket.subject}`);
  const composer = useRef<ComposerHandle>(null);
  const shownId = ticket?.id;
  const [open, setOpen] = useOpenMessages(shownId, messages);
  const state = composing === undefined ? 'viewing' : states[composing];
  useAttendance(workspace.id, ticket?.trashedAt == null ? shownId : undefined, state);
  useNewestInView(shownId, scroll);
  const rail = useRail(shownId, ticket?.requester != null);
  const canWrite = ticket !== undefined && isEditable(ticket, workspace.role);
  const takeBack = (message: Message) => composer.current?.takeBack(message);
  const forward = (message: Message | undefined) => message !== undefined && composer.current?.forward(message.id);
  const print = usePrinting(ticket, messages);
  const why = useWhy(ticket);
  usePaneCommands(number, canWrite ? () => forward(focusedMessage(ticket) ?? newestMail(ticket)) : undefined);
  useFolding(messages, open, setOpen);
  // The person may be in the middle of a word when their ticket goes.
  useSilenceUntil(composing === undefined || ticket !== undefined || (error !== null && !isGone(error)));
  return (
    <article
      className={styles.pane}
      data-shows={shownId}
      aria-labelledby={ticket === undefined ? undefined : 'ticket-subject'}
    >
      {ticket === undefined ? (
        <Waiting {...{ backTo, error }} wasWriting={composing !== undefined} onRetry={() => void refetch()} />
      ) : (
        <TicketHead ticket={ticket} backTo={backTo} rail={rail} />
      )}
      <div className={styles.panes}>
        <div className={styles.conversation}>
          <Scroll scroll={scroll}>
            <Timeline
              ticket={ticket}
              messages={messages}
              open={open}
              onOpen={(message, wanted) => setOpen(withOpen(open, [message.id], wanted))}
              splitNumber={canWrite ? number : undefined}
              onUndo={takeBack}
              onRestore={canWrite ? takeBack : undefined}
              onForward={canWrite ? forward : undefined}
              onPrint={(message) => print([message])}
              onReplyTo={(addresses) => composer.current?.answerTo(addresses)}
              requester={canWrite ? requesterChoice(workspace.id, ticket) : undefined}
            />
          </Scroll>
          <div className={styles.composer}>
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
          </div>
        </div>
        {rail.isOpen && error === null && <Rail ticket={ticket} canEdit={canWrite} rail={rail} />}
      </div>
      {why}
    </article>
  );
}

function usePaneCommands(number: number, forward: (() => void) | undefined) {
  useCommands({ forward, copyLink: () => void copyText(window.location.origin + paths.ticket(number)) });
}

/** Registers the command that says which rules ran on the ticket. @returns their dialog, while it is open */
function useWhy(ticket: TicketWithMessages | undefined): ReactNode {
  const [openId, setOpenId] = useState<string>();
  useCommands({ why: ticket === undefined ? undefined : () => setOpenId(ticket.id) });
  if (ticket === undefined || openId !== ticket.id) return null;
  return <WhyDialog ticket={ticket} onClose={() => setOpenId(undefined)} />;
}

function requesterChoice(workspaceId: string, ticket: TicketWithMessages): RequesterChoice | undefined {
  if (ticket.requester === null) return undefined;
  return {
    email: ticket.requester.email,
    onChange: (email) => void changeRequester(workspaceId, ticket, email),
  };
}

/** The area of the messages. */
function Scroll({ scroll, children }: Pick<TicketPaneProps, 'scroll'> & { children: ReactNode }) {
  return (
    <div
      className={styles.scroll}
      ref={scroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll this area
      tabIndex={0}
      role="group"
      aria-label={words('ticket.messages')}
      data-scrolls
    >
      {children}
    </div>
  );
}

/** Registers the command that prints the ticket. @returns a function that prints some of its messages */
function usePrinting(ticket: TicketWithMessages | undefined, messages: readonly Message[]) {
  const print = (wanted: readonly Message[]) => ticket !== undefined && void printLater(ticket, wanted);
  useCommands({
    print: ticket === undefined ? undefined : () => print(messages.filter((message) => !isUndone(message))),
  });
  return print;
}

async function printLater(ticket: TicketWithMessages, messages: readonly Message[]): Promise<void> {
  const { printMessages } = await import('./print.ts');
  await printMessages(ticket, messages);
}

const focusedMessage = ({ messages }: TicketWithMessages) => messages.find(({ id }) => id === focusedMessageId());

/** The message to forward by default. Notes and what is not sent are left out: they go out only by intent. */
function newestMail(ticket: TicketWithMessages): Message | undefined {
  const isUnsent = ({ delivery }: Message) => delivery?.status === 'scheduled' || delivery?.status === 'cancelled';
  return ticket.messages.findLast((message) => !message.isInternal && !isUnsent(message));
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

/** What has gone, or is hidden from the person, leaves the screen although the cache has it. */
function useTicket(workspaceId: string, number: number) {
  const { data, error, refetch } = useQuery(ticketQuery(workspaceId, number));
  return { ticket: isGone(error) ? undefined : data, error, refetch };
}

const isGone = (error: Error | null) => error instanceof ApiError && error.status === 404;

type WaitingProps = { backTo: string; error: Error | null; wasWriting: boolean; onRetry: () => void };

/** Shown while a ticket loads, or where it cannot be loaded. */
function Waiting({ backTo, error, wasWriting, onRetry }: WaitingProps) {
  const back = useRef<HTMLAnchorElement>(null);
  const isMissing = error instanceof ApiError && error.status < 500;
  useEffect(() => {
    if (isMissing && wasWriting) back.current?.focus();
  }, [isMissing, wasWriting]);
  return (
    <div className={styles.wait}>
      <Link ref={back} href={backTo}>
        {words('ticket.back')}
      </Link>
      {error === null && <p>{words('loading')}</p>}
      {isMissing && <p role="alert">{words('ticket.notFound')}</p>}
      {error !== null && !isMissing && <Fault error={error} onRetry={onRetry} />}
    </div>
  );
}
