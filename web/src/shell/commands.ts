import { useEffect, useRef } from 'react';
import { tinykeys } from 'tinykeys';
import type { WordKey } from '../words/words.ts';

/** Every command: its words, its keys as tinykeys writes them, and as people read them. */
export const commands = {
  next: { words: 'command.next', keys: ['j', 'ArrowDown'], shown: 'j' },
  previous: { words: 'command.previous', keys: ['k', 'ArrowUp'], shown: 'k' },
  answer: { words: 'command.answer', keys: ['r'], shown: 'r' },
  note: { words: 'command.note', keys: ['n'], shown: 'n' },
  close: { words: 'command.close', keys: ['e'], shown: 'e' },
  assignToMe: { words: 'command.assignToMe', keys: ['i'], shown: 'i' },
  search: { words: 'command.search', keys: ['/'], shown: '/' },
  help: { words: 'command.help', keys: ['Shift+?'], shown: '?' },
  back: { words: 'command.back', keys: ['Escape'], shown: 'Esc' },
} as const satisfies Record<string, { words: WordKey; keys: readonly string[]; shown: string }>;

type CommandId = keyof typeof commands;
type Handlers = Partial<Record<CommandId, () => void>>;

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
    return tinykeys(window, Object.fromEntries(bindings));
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null;
}
