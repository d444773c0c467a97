import { useEffect, useRef } from 'react';
import { ariaKeys, keyReader, keyWords } from './lib/keys.ts';
import { areSingleKeysOn } from './lib/single-keys.ts';
import { type WordKey, words } from './words/words.ts';

export const commandGroups = ['move', 'ticket', 'write', 'message', 'go', 'app'] as const;

type Command = {
  words: WordKey;
  group: (typeof commandGroups)[number];
  /** As `keyReader` takes them; the first is the one that is shown. */
  keys: readonly string[];
  /** Moves the focus or the selection, which a pointer does by pointing: it needs no button. */
  isMovement?: true;
};

/** Every command, in the order in which people read them. Keys, buttons, help and palette know no others. */
export const commands = {
  next: { words: 'command.next', group: 'move', keys: ['j', 'ArrowDown'], isMovement: true },
  previous: { words: 'command.previous', group: 'move', keys: ['k', 'ArrowUp'], isMovement: true },
  back: { words: 'command.back', group: 'move', keys: ['Escape'], isMovement: true },
  select: { words: 'command.select', group: 'move', keys: ['x'], isMovement: true },
  selectNext: { words: 'command.selectNext', group: 'move', keys: ['Shift+J'], isMovement: true },
  selectPrevious: { words: 'command.selectPrevious', group: 'move', keys: ['Shift+K'], isMovement: true },
  selectAll: { words: 'command.selectAll', group: 'move', keys: ['$mod+a'], isMovement: true },
  close: { words: 'command.close', group: 'ticket', keys: ['e'] },
  assignToMe: { words: 'command.assignToMe', group: 'ticket', keys: ['i'] },
  answer: { words: 'command.answer', group: 'write', keys: ['r'] },
  answerSender: { words: 'command.answerSender', group: 'write', keys: ['Shift+R'] },
  note: { words: 'command.note', group: 'write', keys: ['n'] },
  forward: { words: 'command.forward', group: 'write', keys: ['f'] },
  openMessage: { words: 'command.openMessage', group: 'message', keys: ['o'] },
  openAll: { words: 'command.openAll', group: 'message', keys: [';'] },
  foldAll: { words: 'command.foldAll', group: 'message', keys: [':'] },
  previousMessage: { words: 'command.previousMessage', group: 'message', keys: ['['], isMovement: true },
  nextMessage: { words: 'command.nextMessage', group: 'message', keys: [']'], isMovement: true },
  contactPanel: { words: 'command.contactPanel', group: 'app', keys: ['\\'] },
  search: { words: 'command.search', group: 'app', keys: ['/'] },
  help: { words: 'command.help', group: 'app', keys: ['?'] },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof commands;
/** What a command does here and now; one without a handler cannot be run. */
type Handlers = Partial<Record<CommandId, (() => void) | undefined>>;

const all = Object.entries(commands) as [CommandId, Command][];

/** The handlers that are on the screen, the newest last. */
const present: { current: Handlers }[] = [];

function handlerOf(id: string): (() => void) | undefined {
  return present.findLast(({ current }) => current[id as CommandId] !== undefined)?.current[id as CommandId];
}

function runCommand(id: CommandId): void {
  handlerOf(id)?.();
}

/** Name, tooltip and keys of a button that runs a command. */
export function commandProps(id: CommandId) {
  const { words: label, keys } = commands[id];
  return {
    'data-command': id,
    'aria-keyshortcuts': ariaKeys(keys),
    title: `${words(label)} (${keyWords(keys[0])})`,
    onClick: () => runCommand(id),
  };
}

/** Gives commands their meaning for as long as the component is shown; the newest component wins. */
export function useCommands(handlers: Handlers): void {
  const current = useRef(handlers);
  useEffect(() => {
    current.current = handlers;
  });
  useEffect(() => {
    present.push(current);
    return () => {
      present.splice(present.indexOf(current), 1);
    };
  }, []);
}

/** Runs commands by their keys. @returns what ends it */
export function listenToKeys(target: Window): () => void {
  const read = keyReader(all.flatMap(([id, { keys }]) => keys.map((key) => [id, key] as const)));
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || !isHeard(event)) return;
    const id = read(event);
    if (id === undefined || (event.repeat && commands[id].group !== 'move')) return;
    const handler = handlerOf(id);
    if (handler === undefined) return;
    event.preventDefault();
    handler();
  };
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}

const typed =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]:not([contenteditable="false"])';
const ownKeys = 'dialog, [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/**
 * Chords with ⌘ or Ctrl are commands everywhere, single keys only where nobody types, and none in menus and dialogs. In a field
 * ⌘A selects its text.
 */
function isHeard(event: KeyboardEvent): boolean {
  const { target } = event;
  const element = target instanceof Element ? target : document.activeElement;
  if (element?.closest(ownKeys) != null || document.querySelector('dialog:modal') !== null) return false;
  const isChord = event.metaKey || event.ctrlKey;
  if (element?.closest(typed) != null) return isChord && event.key.toLowerCase() !== 'a';
  return isChord || areSingleKeysOn() || event.key === 'Escape';
}
