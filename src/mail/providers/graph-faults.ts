/** What Graph's refusals mean, and what people are told of them. */
import { ProviderFault, type ProviderFaultKind } from '../provider.ts';
import {
  asObject,
  evidenceOf,
  faultCode,
  jsonOf,
  kindOfStatus,
  type ProviderAnswer,
  retryAfterMsOf,
} from './provider-request.ts';

const noMailbox =
  'This account has no mailbox that Microsoft 365 hosts: connect one that has, or have its administrator give it one';

/** Where the code tells more than the status, in lower case, for its casing varies. */
const known: Readonly<Record<string, { kind: ProviderFaultKind; sentence?: string; isUnsent?: true }>> = {
  syncstatenotfound: { kind: 'cursor-lost' },
  syncstateinvalid: { kind: 'cursor-lost' },
  resyncrequired: { kind: 'cursor-lost' },
  // These come as 404, and yet nothing is gone.
  mailboxnotenabledforrestapi: { kind: 'forbidden', sentence: noMailbox },
  errorinvaliduser: { kind: 'forbidden', sentence: noMailbox },
  errornonexistentmailbox: { kind: 'forbidden', sentence: noMailbox },
  // What was named is no name of a mail: nothing is there.
  errorinvalididmalformed: { kind: 'not-found' },
  // With a 500, and for good: it is this one mail whose MIME cannot be built.
  errormimecontentconversionfailed: { kind: 'refused' },
  applicationthrottled: { kind: 'throttled' },
  toomanyrequests: { kind: 'throttled' },
  errorexceededmessagelimit: { kind: 'throttled' },
  // The mail's fault, not the mailbox's.
  errorsendasdenied: {
    kind: 'refused',
    sentence:
      'Whoever opens this mailbox for us may not send as the address in From: an administrator of Exchange has to give them "Send as"',
    isUnsent: true,
  },
  errorquotaexceeded: { kind: 'refused', sentence: 'The mailbox is full: make room in it', isUnsent: true },
  errormessagesizeexceeded: {
    kind: 'refused',
    sentence: 'The mail is larger than the mailbox may send',
    isUnsent: true,
  },
  errorinvalidrecipients: {
    kind: 'refused',
    sentence: 'Microsoft 365 takes one of the recipients for no address',
    isUnsent: true,
  },
  erroraccessdenied: { kind: 'forbidden', isUnsent: true },
  errormessagesubmissionblocked: {
    kind: 'forbidden',
    sentence:
      'Microsoft 365 has blocked this mailbox from sending, as it does after spam: its administrator can unblock it',
    isUnsent: true,
  },
};

/** Microsoft 365 answered 401 to a token that it had just issued. */
const tokenRefused =
  'Microsoft 365 refuses the access that it has just given to this mailbox: if this goes on, connect it again';

const sentences: Readonly<Record<ProviderFaultKind, string>> = {
  unauthorized: 'Microsoft 365 no longer accepts our access to this mailbox: connect it again',
  forbidden:
    'Microsoft 365 denies access to this mailbox: its administrator must allow our application to read and send its mail',
  misconfigured: 'The address of the Graph API leads elsewhere: the setting has to be mended',
  throttled: 'Microsoft 365 asks to wait, for too much was asked of this mailbox',
  unavailable: 'Microsoft 365 has trouble on its side, which passes by itself',
  'cursor-lost': 'Microsoft 365 no longer knows how far this mailbox was read',
  'not-found': 'Microsoft 365 has nothing there',
  refused: 'Microsoft 365 refused the request',
};

/** @param sends the request sends mail: also where Graph refuses it, even with 429, the mail may have left */
export function faultOf(answer: ProviderAnswer, sends: boolean): ProviderFault {
  const { status } = answer;
  const named = faultCode(asObject(jsonOf(answer)?.error)?.code);
  const code = named ?? String(status);
  const { kind, sentence, isUnsent } = known[code.toLowerCase()] ?? { kind: kindOf(status, named !== undefined) };
  const usual = status === 401 ? tokenRefused : sentences[kind];
  return new ProviderFault(kind, code, `${sentence ?? usual} (${code}).`, {
    retryAfterMs: retryAfterMsOf(answer),
    mayHaveHappened: sends && status !== 401 && !(isUnsent && status < 500),
    evidence: evidenceOf(kind, answer),
  });
}

/** 410 is a delta link's end. A conflict between two writes passes, and so does a 400 that gives no reason. */
function kindOf(status: number, isNamed: boolean): ProviderFaultKind {
  if (status === 410) return 'cursor-lost';
  return status === 409 || (status === 400 && !isNamed) ? 'unavailable' : kindOfStatus(status);
}

/** An answer that says yes and makes no sense. */
export function senseless(code: string): ProviderFault {
  return new ProviderFault('unavailable', code, `Microsoft 365 answered what cannot be used (${code}).`);
}
