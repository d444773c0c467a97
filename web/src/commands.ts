import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { ariaKeys, keyReader, keyWords } from './lib/keys.ts';
import { type ChosenKeys, followPreferences, preferences } from './lib/preferences.ts';
import { words } from './words/words.ts';

export const commandGroups = ['move', 'ticket', 'write', 'message', 'go', 'app'] as const;

export type Command = {
  group: (typeof commandGroups)[number];
  /** Bindings in the syntax of `keyReader`; the screen shows the first. */
  keys: readonly string[];
  /** Moves the focus or the selection. A pointer does that by itself, so the command has no button. */
  isMovement?: true;
  /** Runs while a person types as well. */
  isEverywhere?: true;
};

/** Every command, in the order of display. Keys, buttons, help and palette all read this list. */
export const commands = {
  next: { group: 'move', keys: ['j', 'ArrowDown'], isMovement: true },
  previous: { group: 'move', keys: ['k', 'ArrowUp'], isMovement: true },
  back: { group: 'move', keys: ['Escape'], isMovement: true },
  select: { group: 'move', keys: ['x'], isMovement: true },
  selectNext: { group: 'move', keys: ['Shift+J'], isMovement: true },
  selectPrevious: { group: 'move', keys: ['Shift+K'], isMovement: true },
  selectAll: { group: 'move', keys: ['$mod+a'], isMovement: true },
  close: { group: 'ticket', keys: ['e', 's c'] },
  reopen: { group: 'ticket', keys: ['Shift+E', 's o'] },
  pend: { group: 'ticket', keys: ['s p'] },
  status: { group: 'ticket', keys: [] },
  assign: { group: 'ticket', keys: ['a'] },
  assignToMe: { group: 'ticket', keys: ['i'] },
  snooze: { group: 'ticket', keys: ['h'] },
  tags: { group: 'ticket', keys: ['t'] },
  priority: { group: 'ticket', keys: ['p'] },
  mailbox: { group: 'ticket', keys: ['v'] },
  requester: { group: 'ticket', keys: [] },
  merge: { group: 'ticket', keys: ['m'] },
  unmerge: { group: 'ticket', keys: [] },
  split: { group: 'ticket', keys: [] },
  archive: { group: 'ticket', keys: ['y'] },
  trash: { group: 'ticket', keys: ['#'] },
  spam: { group: 'ticket', keys: ['!'] },
  block: { group: 'ticket', keys: ['b'] },
  purge: { group: 'ticket', keys: [] },
  markUnread: { group: 'ticket', keys: ['u'] },
  follow: { group: 'ticket', keys: ['w'] },
  copyLink: { group: 'ticket', keys: [] },
  why: { group: 'ticket', keys: [] },
  undo: { group: 'ticket', keys: ['z'] },
  answer: { group: 'write', keys: ['r'] },
  answerSender: { group: 'write', keys: ['Shift+R'] },
  note: { group: 'write', keys: ['n'] },
  forward: { group: 'write', keys: ['f'] },
  newTicket: { group: 'write', keys: ['c'] },
  send: { group: 'write', keys: ['$mod+Enter'], isEverywhere: true },
  sendAndClose: { group: 'write', keys: ['$mod+Shift+Enter'], isEverywhere: true },
  sendAndSnooze: { group: 'write', keys: ['$mod+Shift+H'], isEverywhere: true },
  sendLater: { group: 'write', keys: ['$mod+Shift+L'], isEverywhere: true },
  // Shift and the full-stop key give a different character on each keyboard layout.
  switchMode: {
    group: 'write',
    keys: ['$mod+Shift+.', '$mod+Shift+>', '$mod+Shift+:'],
    isEverywhere: true,
  },
  bulkReply: { group: 'write', keys: [] },
  insertReply: { group: 'write', keys: [] },
  discard: { group: 'write', keys: [] },
  attach: { group: 'write', keys: ['$mod+Shift+U'], isEverywhere: true },
  cc: { group: 'write', keys: ['$mod+Shift+C'], isEverywhere: true },
  // In place of the browser's printing, which would print the page around the ticket.
  print: { group: 'message', keys: ['$mod+p'], isEverywhere: true },
  openMessage: { group: 'message', keys: ['o'] },
  openAll: { group: 'message', keys: [';'] },
  foldAll: { group: 'message', keys: [':'] },
  previousMessage: { group: 'message', keys: ['['], isMovement: true },
  nextMessage: { group: 'message', keys: [']'], isMovement: true },
  goOpen: { group: 'go', keys: ['g i'] },
  goMine: { group: 'go', keys: ['g m'] },
  goUnassigned: { group: 'go', keys: ['g u'] },
  goMentions: { group: 'go', keys: ['g o'] },
  goPending: { group: 'go', keys: ['g p'] },
  goSnoozed: { group: 'go', keys: ['g s'] },
  goClosed: { group: 'go', keys: ['g e'] },
  goDrafts: { group: 'go', keys: ['g d'] },
  goUndelivered: { group: 'go', keys: ['g x'] },
  goScheduled: { group: 'go', keys: ['g l'] },
  goContacts: { group: 'go', keys: ['g c'] },
  goReports: { group: 'go', keys: ['g r'] },
  goArchive: { group: 'go', keys: ['g a'] },
  goSpam: { group: 'go', keys: ['g j'] },
  goTrash: { group: 'go', keys: ['g t'] },
  goNotifications: { group: 'go', keys: ['g n'] },
  goSettings: { group: 'go', keys: ['g ,'] },
  goView1: { group: 'go', keys: ['g 1'] },
  goView2: { group: 'go', keys: ['g 2'] },
  goView3: { group: 'go', keys: ['g 3'] },
  goView4: { group: 'go', keys: ['g 4'] },
  goView5: { group: 'go', keys: ['g 5'] },
  goView6: { group: 'go', keys: ['g 6'] },
  goView7: { group: 'go', keys: ['g 7'] },
  goView8: { group: 'go', keys: ['g 8'] },
  goView9: { group: 'go', keys: ['g 9'] },
  palette: { group: 'app', keys: ['$mod+k'], isEverywhere: true },
  contactPanel: { group: 'app', keys: ['\\'] },
  remotePictures: { group: 'app', keys: [] },
  search: { group: 'app', keys: ['/'] },
  help: { group: 'app', keys: ['?'] },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof commands;
/** What each command does on the present screen. A command without a handler cannot run. */
type Handler = (named?: string) => void;
type Handlers = Partial<Record<CommandId, Handler | undefined>>;

const all = Object.entries(commands) as [CommandId, Command][];

/** The handlers of all components on the screen, the newest last. */
const present: { current: Handlers }[] = [];

function handlerOf(id: string): Handler | undefined {
  return present.findLast(({ current }) => current[id as CommandId] !== undefined)?.current[id as CommandId];
}

/** @param named the id of the record that the command uses, such as a saved reply; without it, the command asks */
export function runCommand(id: CommandId, named?: string): void {
  handlerOf(id)?.(named);
}

/** The commands that have a handler on this screen, in the order of `commands`. */
export function runnableCommands(): CommandId[] {
  return all.map(([id]) => id).filter((id) => handlerOf(id) !== undefined);
}

/**
 * The keys of a command: the keys that the person chose, or else its own keys. Arrow keys and Escape always stay,
 * because people expect them everywhere.
 */
export function keysOf(id: CommandId, chosen = chosenKeys()): readonly string[] {
  const { keys }: Command = commands[id];
  const own = chosen.find(({ command }) => command === id)?.keys;
  if (own === undefined) return keys;
  return [...(own === '' || isPattern.test(own) ? [] : [own]), ...keys.filter((key) => isFixedKey.test(key))];
}

export const isFixedKey = /^(Arrow|Escape)/;
/** The reader of keys takes brackets for a regular expression. A program may have stored anything. */
const isPattern = /\(.+\)/;

function chosenKeys(): readonly ChosenKeys[] {
  return preferences().keys;
}

export function commandWords(id: CommandId): string {
  return words(`command.${id}`);
}

let pressed: HTMLElement | undefined;

/** The button whose click runs the present command, beside which its picker opens. */
export function pressedButton(): HTMLElement | undefined {
  return pressed;
}

/** Name, tooltip and keys of a button that runs a command. */
export function commandProps(id: CommandId) {
  const keys = keysOf(id);
  return {
    'data-command': id,
    'aria-keyshortcuts': ariaKeys(keys),
    title: keyTitle(commandWords(id), id),
    onClick: (event?: { currentTarget: HTMLElement }) => {
      pressed = event?.currentTarget;
      runCommand(id);
      pressed = undefined;
    },
  };
}

/** The title of an element that does the same as a command, with the command's keys. */
export function keyTitle(text: string, id: string | undefined): string {
  const [key] = id === undefined || !(id in commands) ? [] : keysOf(id as CommandId);
  return key === undefined ? text : `${text} (${keyWords(key)})`;
}

/**
 * Registers handlers for as long as the component is mounted; the newest component wins. The component is drawn again
 * when a command gets other keys, because its buttons show them.
 */
export function useCommands(handlers: Handlers): void {
  useSyncExternalStore(followPreferences, chosenKeys);
  const current = useRef(handlers);
  // A layout effect runs within React's commit, so the next key already meets the handlers of the new screen.
  useLayoutEffect(() => {
    current.current = handlers;
  });
  useLayoutEffect(() => {
    present.push(current);
    return () => {
      present.splice(present.indexOf(current), 1);
    };
  }, []);
}

/** Runs commands by their keys. @returns a function that stops listening */
export function listenToKeys(target: Window): () => void {
  let read = readerOf();
  const stopFollowing = followPreferences(() => {
    read = readerOf();
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isInOwnKeys(event) || isText(event)) return;
    const id = read(event);
    const handler = id === undefined ? undefined : handlerOf(id);
    if (id === undefined || handler === undefined) return;
    if (isScroll(event)) return;
    const { group, isEverywhere }: Command = commands[id];
    if ((event.repeat && group !== 'move') || (isTyped(event) && !isEverywhere)) return;
    event.preventDefault();
    handler();
  };
  target.addEventListener('keydown', onKey);
  return () => {
    stopFollowing();
    target.removeEventListener('keydown', onKey);
  };
}

function readerOf() {
  return keyReader(all.flatMap(([id]) => keysOf(id).map((key) => [id, key] as const)));
}

const typed =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]:not([contenteditable="false"])';
/** A closed dialog keeps the focus for a moment, and the next key is meant for the page. */
const ownKeys = 'dialog[open], [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

let isSilent = false;

/** Turns commands off between the key that opens a dialog and the dialog: the next keys are meant for the dialog. */
export function silenceKeys(wanted: boolean): void {
  isSilent = wanted;
}

/** Menus and dialogs have keys of their own. Escape closes an open panel, wherever the focus is. */
function isInOwnKeys({ target, key }: KeyboardEvent): boolean {
  const shown = key === 'Escape' ? 'dialog:modal, :popover-open' : 'dialog:modal';
  return isSilent || elementOf(target)?.closest(ownKeys) != null || document.querySelector(shown) !== null;
}

/** Single keys are text in a text field, and a person can turn single-key commands off. */
function isText(event: KeyboardEvent): boolean {
  if (event.metaKey || event.ctrlKey) return false;
  return isTyped(event) || (!preferences().singleKeys && event.key !== 'Escape');
}

function isTyped({ target }: KeyboardEvent): boolean {
  return elementOf(target)?.closest(typed) != null;
}

/** Arrow keys scroll an area marked `data-scrolls`. */
function isScroll({ key, target }: KeyboardEvent): boolean {
  return key.startsWith('Arrow') && elementOf(target)?.closest('[data-scrolls]') != null;
}

/** Keys pressed in the frame of a mail arrive with the window as their target. */
function elementOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target : document.activeElement;
}
