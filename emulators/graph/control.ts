/** The commands of the Graph emulator over HTTP, for other processes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Habit, MailFields } from '../customer-mail.ts';
import { type Paging, pageOf } from '../page-of.ts';
import type { Behaviour } from './behaviour.ts';
import type { Commands } from './commands.ts';
import { readBody } from './http.ts';
import type { OddMail } from './odd-mail.ts';
import type { LifecycleEvent } from './push.ts';
import { write } from './serve.ts';
import type { DeltaReset, Fault, FolderName, OutgoingMail } from './world.ts';

/** Members as the commands name them. A mail is `raw` in base64, or `mail` as fields. */
type Order = Paging & {
  address: string;
  displayName?: string;
  scopes?: string[];
  raw?: string;
  mail?: MailFields;
  recipients?: string[];
  kind: OddMail;
  folder?: FolderName;
  receivedAt?: string;
  id: string;
  ids?: string[];
  isRead?: boolean;
  habit: Habit | null;
  fault: Fault;
  changes: Partial<Behaviour>;
  how?: DeltaReset;
  ms: number;
  event: LifecycleEvent;
  members?: Record<string, unknown>;
  account: string;
  to: string;
  alias: string;
  rights?: { sendsAs: boolean } | null;
};

const mailOf = ({ raw, mail = {} }: Order) => (raw === undefined ? mail : Buffer.from(raw, 'base64'));
const inJson = (mail: OutgoingMail) => ({ ...mail, raw: mail.raw.toString('base64') });

const orders: Record<keyof Commands, (commands: Commands, order: Order) => unknown> = {
  addMailbox: (commands, order) => commands.addMailbox(order),
  rename: (commands, { address, to }) => commands.rename(address, to),
  addAlias: (commands, { address, alias }) => commands.addAlias(address, alias),
  share: (commands, { address, account, rights }) => commands.share(address, account, rights),
  giveRefreshToken: (commands, { address }) => ({ refreshToken: commands.giveRefreshToken(address) }),
  deliver: (commands, order) => commands.deliver(order.address, mailOf(order), order),
  deliverOdd: (commands, { address, kind }) => commands.deliverOdd(address, kind),
  received: (commands, order) => pageOf(commands.received(order.address), order).map(inJson),
  reply: (commands, { id, mail }) => commands.reply(id, mail),
  sendByHand: (commands, order) => commands.sendByHand(order.address, mailOf(order)),
  carry: (commands, { raw = '', recipients }) => commands.carry(Buffer.from(raw, 'base64'), recipients),
  saveDraft: (commands, order) => commands.saveDraft(order.address, mailOf(order)),
  move: (commands, { address, id, folder = 'inbox' }) => commands.move(address, id, folder),
  remove: (commands, { address, id }) => commands.remove(address, id),
  markRead: (commands, { address, id, isRead }) => commands.markRead(address, id, isRead),
  messages: (commands, { address, folder }) => commands.messages(address, folder),
  raw: (commands, { address, id }) => ({ raw: commands.raw(address, id).toString('base64') }),
  setHabit: (commands, { address, habit }) => commands.setHabit(address, habit),
  setFault: (commands, { fault }) => commands.setFault(fault),
  clearFaults: (commands) => commands.clearFaults(),
  behave: (commands, { changes }) => commands.behave(changes),
  resetDelta: (commands, { address, how }) => commands.resetDelta(address, how),
  revoke: (commands, { address }) => commands.revoke(address),
  expireAccess: (commands, { address }) => commands.expireAccess(address),
  advance: (commands, { ms }) => commands.advance(ms),
  now: (commands) => ({ now: commands.now() }),
  subscriptions: (commands) => commands.subscriptions(),
  lifecycle: (commands, { event, ids }) => commands.lifecycle(event, ids),
  dropSubscription: (commands, { id }) => commands.dropSubscription(id),
  forge: (commands, { id, members }) => commands.forge(id, members),
  pushes: (commands) => commands.pushes(),
  requests: (commands, order) => pageOf(commands.requests(), order),
  misuses: (commands) => commands.misuses(),
  clearLogs: (commands) => commands.clearLogs(),
};

/** Room for a mail of 150 MB in base64. */
const orderBytesMax = 220 * 1024 * 1024;

export async function obey(commands: Commands, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = (request.url ?? '').slice('/control/'.length);
  const body = await readBody(request, orderBytesMax);
  const carryOut = Object.hasOwn(orders, name) ? orders[name as keyof Commands] : undefined;
  if (carryOut === undefined) return write(response, { status: 404, body: { error: `no command ${name}` } });
  try {
    // Only test code sends commands, so their members go unchecked.
    const order = (body.length === 0 ? {} : JSON.parse(body.toString())) as Order;
    write(response, { status: 200, body: ((await carryOut(commands, order)) ?? {}) as object });
  } catch (error) {
    write(response, { status: 400, body: { error: error instanceof Error ? error.message : 'unknown' } });
  }
}
