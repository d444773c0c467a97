/** The methods of the Gmail API: the scope and quota that each needs, and who may call them. */
import { type Answer, Refusal, refusal } from './answer.ts';
import type { Operation } from './faults.ts';
import { listHistory } from './history.ts';
import type { Mailbox } from './mailbox.ts';
import { getMail, listMails, relabel, relabelMany, sendMail } from './messages.ts';
import { type Grant, modifyScope } from './oauth.ts';
import type { Call, World } from './world.ts';

export type ApiRequest = {
  method: string;
  url: URL;
  authorization: string | undefined;
  contentType: string;
  body: Buffer;
};

type Need = 'read' | 'modify' | 'send';

type Method = {
  verb: 'GET' | 'POST';
  path: RegExp;
  operation: Operation;
  /** In quota units. */
  cost: number;
  need: Need;
  handle(world: World, call: Call): Answer | Promise<Answer>;
};

const messages = '/messages/([^/]+)';
const methods: Method[] = [
  { verb: 'GET', path: at('/profile'), operation: 'getProfile', cost: 1, need: 'read', handle: getProfile },
  {
    verb: 'GET',
    path: at('/settings/sendAs'),
    operation: 'settings.sendAs.list',
    cost: 1,
    need: 'read',
    handle: listSendAs,
  },
  { verb: 'GET', path: at('/history'), operation: 'history.list', cost: 2, need: 'read', handle: listHistory },
  { verb: 'GET', path: at('/messages'), operation: 'messages.list', cost: 5, need: 'read', handle: listMails },
  { verb: 'POST', path: at('/messages/send'), operation: 'messages.send', cost: 100, need: 'send', handle: sendMail },
  {
    verb: 'POST',
    path: at('/messages/batchModify'),
    operation: 'messages.batchModify',
    cost: 50,
    need: 'modify',
    handle: relabelMany,
  },
  { verb: 'GET', path: at(messages), operation: 'messages.get', cost: 20, need: 'read', handle: getMail },
  {
    verb: 'POST',
    path: at(`${messages}/modify`),
    operation: 'messages.modify',
    cost: 5,
    need: 'modify',
    handle: relabel,
  },
  {
    verb: 'POST',
    path: at(`${messages}/(trash)`),
    operation: 'messages.trash',
    cost: 5,
    need: 'modify',
    handle: relabel,
  },
  {
    verb: 'POST',
    path: at(`${messages}/(untrash)`),
    operation: 'messages.untrash',
    cost: 5,
    need: 'modify',
    handle: relabel,
  },
  {
    verb: 'POST',
    path: at('/watch'),
    operation: 'watch',
    cost: 100,
    need: 'read',
    handle: ({ watching }, call) => watching.watch(call),
  },
  {
    verb: 'POST',
    path: at('/stop'),
    operation: 'stop',
    cost: 50,
    need: 'read',
    handle: ({ watching }, { mailbox }) => watching.stop(mailbox),
  },
];

const scope = (name: string): string => `https://www.googleapis.com/auth/${name}`;
const everything = 'https://mail.google.com/';
const sufficient: Record<Need, string[]> = {
  read: [everything, modifyScope, scope('gmail.readonly')],
  modify: [everything, modifyScope],
  send: [everything, modifyScope, scope('gmail.send'), scope('gmail.compose')],
};

/** Finds the method and mailbox of a request, or the answer that refuses it. */
export function admit(
  world: World,
  { method: verb, url, authorization }: ApiRequest,
): { operation: Operation; mailbox: Mailbox; run(request: ApiRequest): Promise<Answer> } | Answer {
  const method = methods.find(({ verb: own, path }) => own === verb && path.test(url.pathname));
  if (method === undefined) return refusal(404, 'Not Found');
  const grant = world.oauth.bearer(authorization);
  if (grant === undefined)
    return refusal(401, 'Request had invalid authentication credentials. Expected OAuth 2 access token.', 'authError', {
      'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"',
    });
  const [, user = '', ...ids] = method.path.exec(url.pathname) ?? [];
  const refused = refusedFor(world, grant, method, decodeURIComponent(user));
  if (refused !== undefined) return refused;
  const { mailbox } = grant;
  const run = async ({ body, contentType }: ApiRequest): Promise<Answer> => {
    try {
      return await method.handle(world, { mailbox, query: url.searchParams, ids, contentType, body });
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  };
  return { operation: method.operation, mailbox, run };
}

function refusedFor(
  { clock, settings }: World,
  { mailbox, scopes }: Grant,
  { need, cost }: Method,
  user: string,
): Answer | undefined {
  if (user !== 'me' && user.toLowerCase() !== mailbox.address)
    return refusal(403, `Delegation denied for ${mailbox.address}`);
  if (!scopes.some((granted) => sufficient[need].includes(granted)))
    return refusal(403, 'Request had insufficient authentication scopes.', 'insufficientPermissions');
  return spend(mailbox, cost, clock.now().getTime(), settings.unitsPerMinute);
}

const minuteMs = 60_000;
/** Google answers with any of these. */
const overQuota: [number, string][] = [
  [403, 'rateLimitExceeded'],
  [403, 'userRateLimitExceeded'],
  [429, 'rateLimitExceeded'],
];

function spend(mailbox: Mailbox, cost: number, now: number, unitsPerMinute: number | null): Answer | undefined {
  const { quota } = mailbox;
  if (now - quota.since >= minuteMs) mailbox.quota = { since: now, units: 0 };
  if (unitsPerMinute !== null && mailbox.quota.units + cost > unitsPerMinute) {
    const [status, reason] = mailbox.random.pick(overQuota);
    const until = new Date(mailbox.quota.since + minuteMs).toISOString();
    return refusal(status, `User-rate limit exceeded.  Retry after ${until}`, reason);
  }
  mailbox.quota.units += cost;
  return undefined;
}

function getProfile(_world: World, { mailbox }: Call): Answer {
  const { address, mails, historyId } = mailbox;
  const threadsTotal = new Set([...mails.values()].map(({ threadId }) => threadId)).size;
  const body = { emailAddress: address, messagesTotal: mails.size, threadsTotal, historyId: String(historyId) };
  return { status: 200, body };
}

function listSendAs(_world: World, { mailbox: { address, sendAs } }: Call): Answer {
  const primary = { sendAsEmail: address, displayName: '', isPrimary: true, isDefault: true };
  const others = sendAs.map((alias) => ({ ...alias, displayName: '', treatAsAlias: true }));
  return { status: 200, body: { sendAs: [primary, ...others] } };
}

function at(path: string): RegExp {
  return new RegExp(`^(?:/upload)?/gmail/v1/users/([^/]+)${path}$`);
}
