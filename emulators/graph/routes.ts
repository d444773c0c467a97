/** The routes of the Graph emulator, and the scopes that they need. */
import { delta } from './delta.ts';
import {
  addAttachment,
  createDraft,
  createReply,
  createUpload,
  deleteMessage,
  moveMessage,
  removeAttachment,
  updateMessage,
} from './drafts.ts';
import type { Answer, Call } from './http.ts';
import {
  getAttachment,
  getAttachmentBytes,
  getMessage,
  getMime,
  listAttachments,
  listFolders,
  listMessages,
  showFolder,
  showProfile,
} from './read.ts';
import { sendDraft, sendMail, sendReply } from './send.ts';
import {
  deleteSubscription,
  listSubscriptions,
  reauthorizeSubscription,
  renewSubscription,
  showSubscription,
  subscribe,
} from './subscriptions.ts';

export type Route = {
  method: string;
  path: RegExp;
  /** The name in faults and in the log. */
  operation: string;
  /** Each of these scopes suffices. Empty: any token. */
  scopes: readonly string[];
  handle(call: Call): Answer | Promise<Answer>;
};

const read = ['Mail.Read', 'Mail.ReadWrite'];
const write = ['Mail.ReadWrite'];
const send = ['Mail.Send'];

const route = (
  method: string,
  path: RegExp,
  operation: string,
  scopes: readonly string[],
  handle: Route['handle'],
): Route => ({ method, path, operation, scopes, handle });

/** Routes below a user. */
export const mailboxRoutes: readonly Route[] = [
  route('GET', /^$/, 'profile', [], showProfile),
  route('GET', /^\/mailFolders$/i, 'folder.list', read, listFolders),
  route('GET', /^\/mailFolders\/([^/]+)$/i, 'folder.get', read, showFolder),
  route('GET', /^\/mailFolders\/([^/]+)\/messages\/delta$/i, 'delta', read, delta),
  route('GET', /^(?:\/mailFolders\/([^/]+))?\/messages$/i, 'message.list', read, listMessages),
  route('POST', /^\/messages$/i, 'draft.create', write, createDraft),
  route('GET', /^\/messages\/([^/]+)$/i, 'message.get', read, getMessage),
  route('PATCH', /^\/messages\/([^/]+)$/i, 'message.update', write, updateMessage),
  route('DELETE', /^\/messages\/([^/]+)$/i, 'message.delete', write, deleteMessage),
  route('GET', /^\/messages\/([^/]+)\/\$value$/i, 'mime', read, getMime),
  route('POST', /^\/messages\/([^/]+)\/move$/i, 'message.move', write, moveMessage),
  route('POST', /^\/messages\/([^/]+)\/send$/i, 'send', send, sendDraft),
  route('POST', /^\/messages\/([^/]+)\/reply$/i, 'reply', send, (call) => sendReply(call, { toAll: false })),
  route('POST', /^\/messages\/([^/]+)\/replyAll$/i, 'reply', send, (call) => sendReply(call, { toAll: true })),
  route('POST', /^\/messages\/([^/]+)\/createReply$/i, 'reply.create', write, (call) =>
    createReply(call, { toAll: false }),
  ),
  route('POST', /^\/messages\/([^/]+)\/createReplyAll$/i, 'reply.create', write, (call) =>
    createReply(call, { toAll: true }),
  ),
  route('GET', /^\/messages\/([^/]+)\/attachments$/i, 'attachment.list', read, listAttachments),
  route('POST', /^\/messages\/([^/]+)\/attachments$/i, 'attachment.add', write, addAttachment),
  route('POST', /^\/messages\/([^/]+)\/attachments\/createUploadSession$/i, 'upload.create', write, createUpload),
  route('GET', /^\/messages\/([^/]+)\/attachments\/([^/]+)$/i, 'attachment.get', read, getAttachment),
  route('DELETE', /^\/messages\/([^/]+)\/attachments\/([^/]+)$/i, 'attachment.remove', write, removeAttachment),
  route('GET', /^\/messages\/([^/]+)\/attachments\/([^/]+)\/\$value$/i, 'attachment.bytes', read, getAttachmentBytes),
  route('POST', /^\/sendMail$/i, 'mail.send', send, sendMail),
];

/** Routes without a mailbox, which no mailbox's traffic limit counts. */
export const subscriptionRoutes: readonly Route[] = [
  route('POST', /^\/subscriptions$/i, 'subscription.create', [], subscribe),
  route('GET', /^\/subscriptions$/i, 'subscription.list', [], listSubscriptions),
  route('GET', /^\/subscriptions\/([^/]+)$/i, 'subscription.get', [], showSubscription),
  route('PATCH', /^\/subscriptions\/([^/]+)$/i, 'subscription.renew', [], renewSubscription),
  route('DELETE', /^\/subscriptions\/([^/]+)$/i, 'subscription.delete', [], deleteSubscription),
  route('POST', /^\/subscriptions\/([^/]+)\/reauthorize$/i, 'subscription.reauthorize', [], reauthorizeSubscription),
];
