import { useCommands } from '../commands.ts';

type Options = { onToggle: (messageId: string) => void; onOpenAll: () => void; onFoldAll: () => void };

/** Registers the commands for messages. They apply to the focused message, or else to the newest. */
export function useMessageKeys({ onToggle, onOpenAll, onFoldAll }: Options): void {
  useCommands({
    openMessage: () => {
      const id = (focused() ?? messages().at(-1))?.dataset.message;
      if (id === undefined) return;
      onToggle(id);
      // Opening or folding replaces the message's element, so the focus moves to the new element.
      requestAnimationFrame(() => focusOn(messages().find(({ dataset }) => dataset.message === id)));
    },
    openAll: onOpenAll,
    foldAll: onFoldAll,
    previousMessage: () => step(-1),
    nextMessage: () => step(1),
  });
}

export function focusedMessageId(): string | undefined {
  return focused()?.dataset.message;
}

function messages(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-message]')];
}

function focused(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-message]') ?? null;
}

function step(by: 1 | -1): void {
  const all = messages();
  const from = focused();
  const at = from === null ? all.length - 1 : all.indexOf(from) + by;
  focusOn(all[Math.min(Math.max(at, 0), all.length - 1)]);
}

/** Focuses a message. A folded message takes the focus in the button of its heading. */
function focusOn(message: HTMLElement | undefined): void {
  if (message === undefined) return;
  const target = message.tagName === 'ARTICLE' ? message : message.querySelector('button');
  target?.focus({ preventScroll: true });
  message.scrollIntoView({ block: 'nearest' });
}
