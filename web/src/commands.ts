import { useLayoutEffect, useRef } from 'react';
import { ariaKeys, keyReader, keyWords } from './lib/keys.ts';
import { preferences } from './lib/preferences.ts';
import { type WordKey, words } from './words/words.ts';

export const commandGroups = ['move', 'ticket', 'write', 'message', 'go', 'app'] as const;

export type Command = {
  words: WordKey;
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
  next: { words: 'command.next', group: 'move', keys: ['j', 'ArrowDown'], isMovement: true },
  previous: { words: 'command.previous', group: 'move', keys: ['k', 'ArrowUp'], isMovement: true },
  back: { words: 'command.back', group: 'move', keys: ['Escape'], isMovement: true },
  select: { words: 'command.select', group: 'move', keys: ['x'], isMovement: true },
  selectNext: { words: 'command.selectNext', group: 'move', keys: ['Shift+J'], isMovement: true },
  selectPrevious: { words: 'command.selectPrevious', group: 'move', keys: ['Shift+K'], isMovement: true },
  selectAll: { words: 'command.selectAll', group: 'move', keys: ['$mod+a'], isMovement: true },
  close: { words: 'command.close', group: 'ticket', keys: ['e', 's c'] },
  reopen: { words: 'command.reopen', group: 'ticket', keys: ['Shift+E', 's o'] },
  pend: { words: 'command.pend', group: 'ticket', keys: ['s p'] },
  status: { words: 'command.status', group: 'ticket', keys: [] },
  assign: { words: 'command.assign', group: 'ticket', keys: ['a'] },
  assignToMe: { words: 'command.assignToMe', group: 'ticket', keys: ['i'] },
  snooze: { words: 'command.snooze', group: 'ticket', keys: ['h'] },
  tags: { words: 'command.tags', group: 'ticket', keys: ['t'] },
  priority: { words: 'command.priority', group: 'ticket', keys: ['p'] },
  merge: { words: 'command.merge', group: 'ticket', keys: ['m'] },
  unmerge: { words: 'command.unmerge', group: 'ticket', keys: [] },
  split: { words: 'command.split', group: 'ticket', keys: [] },
  archive: { words: 'command.archive', group: 'ticket', keys: ['y'] },
  trash: { words: 'command.trash', group: 'ticket', keys: ['#'] },
  spam: { words: 'command.spam', group: 'ticket', keys: ['!'] },
  block: { words: 'command.block', group: 'ticket', keys: ['b'] },
  purge: { words: 'command.purge', group: 'ticket', keys: [] },
  markUnread: { words: 'command.markUnread', group: 'ticket', keys: ['u'] },
  follow: { words: 'command.follow', group: 'ticket', keys: ['w'] },
  undo: { words: 'command.undo', group: 'ticket', keys: ['z'] },
  answer: { words: 'command.answer', group: 'write', keys: ['r'] },
  answerSender: { words: 'command.answerSender', group: 'write', keys: ['Shift+R'] },
  note: { words: 'command.note', group: 'write', keys: ['n'] },
  forward: { words: 'command.forward', group: 'write', keys: ['f'] },
  newTicket: { words: 'command.newTicket', group: 'write', keys: ['c'] },
  send: { words: 'command.send', group: 'write', keys: ['$mod+Enter'], isEverywhere: true },
  sendAndClose: { words: 'command.sendAndClose', group: 'write', keys: ['$mod+Shift+Enter'], isEverywhere: true },
  sendAndSnooze: { words: 'command.sendAndSnooze', group: 'write', keys: ['$mod+Shift+H'], isEverywhere: true },
  // Shift and the full-stop key give a different character on each keyboard layout.
  switchMode: {
    words: 'command.switchMode',
    group: 'write',
    keys: ['$mod+Shift+.', '$mod+Shift+>', '$mod+Shift+:'],
    isEverywhere: true,
  },
  bulkReply: { words: 'command.bulkReply', group: 'write', keys: [] },
  insertReply: { words: 'command.insertReply', group: 'write', keys: [] },
  attach: { words: 'command.attach', group: 'write', keys: ['$mod+Shift+U'], isEverywhere: true },
  cc: { words: 'command.cc', group: 'write', keys: ['$mod+Shift+C'], isEverywhere: true },
  openMessage: { words: 'command.openMessage', group: 'message', keys: ['o'] },
  openAll: { words: 'command.openAll', group: 'message', keys: [';'] },
  foldAll: { words: 'command.foldAll', group: 'message', keys: [':'] },
  previousMessage: { words: 'command.previousMessage', group: 'message', keys: ['['], isMovement: true },
  nextMessage: { words: 'command.nextMessage', group: 'message', keys: [']'], isMovement: true },
  goOpen: { words: 'command.goOpen', group: 'go', keys: ['g i'] },
  goMine: { words: 'command.goMine', group: 'go', keys: ['g m'] },
  goUnassigned: { words: 'command.goUnassigned', group: 'go', keys: ['g u'] },
  goPending: { words: 'command.goPending', group: 'go', keys: ['g p'] },
  goSnoozed: { words: 'command.goSnoozed', group: 'go', keys: ['g s'] },
  goClosed: { words: 'command.goClosed', group: 'go', keys: ['g e'] },
  goUndelivered: { words: 'command.goUndelivered', group: 'go', keys: ['g x'] },
  goContacts: { words: 'command.goContacts', group: 'go', keys: ['g c'] },
  goArchive: { words: 'command.goArchive', group: 'go', keys: ['g a'] },
  goSpam: { words: 'command.goSpam', group: 'go', keys: ['g j'] },
  goTrash: { words: 'command.goTrash', group: 'go', keys: ['g t'] },
  goNotifications: { words: 'command.goNotifications', group: 'go', keys: ['g n'] },
  goSettings: { words: 'command.goSettings', group: 'go', keys: ['g ,'] },
  goView1: { words: 'command.goView1', group: 'go', keys: ['g 1'] },
  goView2: { words: 'command.goView2', group: 'go', keys: ['g 2'] },
  goView3: { words: 'command.goView3', group: 'go', keys: ['g 3'] },
  goView4: { words: 'command.goView4', group: 'go', keys: ['g 4'] },
  goView5: { words: 'command.goView5', group: 'go', keys: ['g 5'] },
  goView6: { words: 'command.goView6', group: 'go', keys: ['g 6'] },
  goView7: { words: 'command.goView7', group: 'go', keys: ['g 7'] },
  goView8: { words: 'command.goView8', group: 'go', keys: ['g 8'] },
  goView9: { words: 'command.goView9', group: 'go', keys: ['g 9'] },
  palette: { words: 'command.palette', group: 'app', keys: ['$mod+k'], isEverywhere: true },
  contactPanel: { words: 'command.contactPanel', group: 'app', keys: ['\\'] },
  remotePictures: { words: 'command.remotePictures', group: 'app', keys: [] },
  search: { words: 'command.search', group: 'app', keys: ['/'] },
  help: { words: 'command.help', group: 'app', keys: ['?'] },
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

/** @param named the id of what the command uses, such as a saved reply; without it, the command asks */
export function runCommand(id: CommandId, named?: string): void {
  handlerOf(id)?.(named);
}

/** The commands that have a handler on this screen, in the order of `commands`. */
export function runnableCommands(): CommandId[] {
  return all.map(([id]) => id).filter((id) => handlerOf(id) !== undefined);
}

/** Name, tooltip and keys of a button that runs a command. */
export function commandProps(id: CommandId) {
  const { words: label, keys }: Command = commands[id];
  return {
    'data-command': id,
    'aria-keyshortcuts': ariaKeys(keys),
    title: keys[0] === undefined ? words(label) : `${words(label)} (${keyWords(keys[0])})`,
    onClick: () => runCommand(id),
  };
}

/** The title of an element that does the same as a command, with the command's keys. */
export function keyTitle(text: string, id: string | undefined): string {
  const keys: readonly string[] = id === undefined || !(id in commands) ? [] : commands[id as CommandId].keys;
  return keys[0] === undefined ? text : `${text} (${keyWords(keys[0])})`;
}

/** Registers handlers for as long as the component is mounted; the newest component wins. */
export function useCommands(handlers: Handlers): void {
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
  const read = keyReader(all.flatMap(([id, { keys }]) => keys.map((key) => [id, key] as const)));
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
  return () => target.removeEventListener('keydown', onKey);
}

const typed =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]:not([contenteditable="false"])';
const ownKeys = 'dialog, [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

let isSilent = false;

/** Turns commands off between the key that opens a dialog and the dialog: the next keys are meant for the dialog. */
export function silenceKeys(wanted: boolean): void {
  isSilent = wanted;
}

/** Menus and dialogs have keys of their own. */
function isInOwnKeys({ target }: KeyboardEvent): boolean {
  return isSilent || elementOf(target)?.closest(ownKeys) != null || document.querySelector('dialog:modal') !== null;
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
