import { type CommandId, commands } from '../../commands.ts';
import type { IconName } from '../../ui/Icon.tsx';

const own: Partial<Record<CommandId, IconName>> = {
  close: 'check',
  reopen: 'undo',
  pend: 'waiting',
  assign: 'people',
  assignToMe: 'person',
  snooze: 'snooze',
  tags: 'tag',
  mailbox: 'mail',
  requester: 'person',
  merge: 'merge',
  unmerge: 'undo',
  split: 'split',
  archive: 'archive',
  trash: 'trash',
  purge: 'trash',
  spam: 'spam',
  block: 'block',
  markUnread: 'mail',
  follow: 'bell',
  copyLink: 'link',
  undo: 'undo',
  answer: 'reply',
  answerSender: 'reply',
  note: 'lock',
  forward: 'forward',
  newTicket: 'compose',
  bulkReply: 'saved',
  insertReply: 'saved',
  discard: 'trash',
  attach: 'paperclip',
  print: 'print',
  goOpen: 'inbox',
  goMine: 'person',
  goUnassigned: 'unassigned',
  goMentions: 'mention',
  goPending: 'pause',
  goSnoozed: 'snooze',
  goClosed: 'done',
  goDrafts: 'draft',
  goUndelivered: 'alert',
  goContacts: 'contacts',
  goArchive: 'archive',
  goSpam: 'spam',
  goTrash: 'trash',
  goNotifications: 'bell',
  goSettings: 'settings',
  contactPanel: 'rail',
  remotePictures: 'image',
  search: 'search',
  help: 'keyboard',
};

const ofGroup: Record<(typeof commands)[CommandId]['group'], IconName> = {
  move: 'right',
  ticket: 'display',
  write: 'pencil',
  message: 'mail',
  go: 'right',
  app: 'command',
};

/** The icon of a command, or else of its group. */
export function commandIcon(id: CommandId): IconName {
  return own[id] ?? ofGroup[commands[id].group];
}
