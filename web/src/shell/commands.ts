import { useEffect, useRef } from 'react';
import { tinykeys } from 'tinykeys';
import type { WordKey } from '../words/words.ts';

/** Every command: its words, its keys as tinykeys writes them, and as people read them. */
export const commands = {
  next: { words: 'command.next', keys: ['j', 'ArrowDown'], shown: 'j' },
  previous: { words: 'command.previous', keys: ['k', 'ArrowUp'], shown: 'k' },
  answer: { words: 'command.answer', keys: ['r'], shown: 'r' },
  note: { words: 'command.note', keys: ['n'], shown: 'n' },
  answerSender: { words: 'command.answerSender', keys: ['Shift+R'], shown: '⇧R' },
  forward: { words: 'command.forward', keys: ['f'], shown: 'f' },
  close: { words: 'command.close', keys: ['e'], shown: 'e' },
  assignToMe: { words: 'command.assignToMe', keys: ['i'], shown: 'i' },
  openMessage: { words: 'command.openMessage', keys: ['o'], shown: 'o' },
  openAll: { words: 'command.openAll', keys: [';'], shown: ';' },
  foldAll: { words: 'command.foldAll', keys: ['Shift+:'], shown: '⇧;' },
  previousMessage: { words: 'command.previousMessage', keys: ['['], shown: '[' },
  nextMessage: { words: 'command.nextMessage', keys: [']'], shown: ']' },
  contactPanel: { words: 'command.contactPanel', keys: ['\\'], shown: '\\' },
  search: { words: 'command.search', keys: ['/'], shown: '/' },
  help: { words: 'command.help', keys: ['Shift+?'], shown: '?' },
  back: { words: 'command.back', keys: ['Escape'], shown: 'Esc' },
} as const satisfies Record<string, { words: WordKey; keys: readonly string[]; shown: string }>;

type CommandId = keyof typeof commands;
type Handlers = Partial<Record<CommandId, () => void>>;

/** The handlers that are on the screen, the newest last. */
const present: { current: Handlers }[] = [];

/** For buttons that do what a key does. */
export function runCommand(id: string): void {
  present.findLast(({ current }) => current[id as CommandId] !== undefined)?.current[id as CommandId]?.();
}

/** Runs commands by their keys, except while a person types or a dialog is open. */
export function useCommands(handlers: Handlers): void {
  const current = useRef(handlers);
  useEffect(() => {
    current.current = handlers;
  });
  useEffect(() => {
    const bindings = Object.entries(commands).flatMap(([id, { keys }]) =>
      keys.map((key) => [key, (event: KeyboardEvent) => run(id as CommandId, event)] as const),
    );
    const run = (id: CommandId, event: KeyboardEvent) => {
      const handler = current.current[id];
      if (handler === undefined || event.isComposing || isTyping(event.target)) return;
      event.preventDefault();
      handler();
    };
    present.push(current);
    const unbind = tinykeys(window, Object.fromEntries(bindings));
    return () => {
      present.splice(present.indexOf(current), 1);
      unbind();
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null;
}
