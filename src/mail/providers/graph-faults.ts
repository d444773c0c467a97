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
  // The id cannot be the id of any mail.
  errorinvalididmalformed: { kind: 'not-found' },
  // A lasting 500: Exchange cannot build the MIME of this one mail.
  errormimecontentconversionfailed: { kind: 'refused' },
  applicationthrottled: { kind: 'throttled' },
  toomanyrequests: { kind: 'throttled' },
  errorexceededmessagelimit: { kind: 'throttled' },
  // The mail's fault, not the mailbox's.
  errorsendasdenied: {
    kind: 'refused',
    sentence:
      'The account that opens this mailbox may not send as the address in From: an Exchange administrator must give it "Send as"',
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
    sentence: 'Microsoft 365 does not accept the address of one of the recipients',
    isUnsent: true,
  },
  erroraccessdenied: { kind: 'forbidden', isUnsent: true },
  errormessagesubmissionblocked: {
    kind: 'forbidden',
    sentence:
      'Microsoft 365 has blocked this mailbox from sending, as it does with senders of spam: its administrator can unblock it',
    isUnsent: true,
  },
};

/** Microsoft 365 answered 401 to a token that it had just issued. */
const tokenRefused =
  'Microsoft 365 refuses the access to this mailbox that it has just granted: if this goes on, connect it again';

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

/** @param sends the request sends a mail, which may have left even when Graph refuses the request, for example with 429 */
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

/** 410 ends a delta link. A conflict of two writes and a 400 without a reason are temporary. */
function kindOf(status: number, isNamed: boolean): ProviderFaultKind {
  if (status === 410) return 'cursor-lost';
  return status === 409 || (status === 400 && !isNamed) ? 'unavailable' : kindOfStatus(status);
}

/** An answer that says yes and makes no sense. */
export function senseless(code: string): ProviderFault {
  return new ProviderFault('unavailable', code, `Microsoft 365 answered what cannot be used (${code}).`);
}
