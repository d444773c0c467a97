/** Maps Graph's refusals to kinds of faults, and to sentences for people. */
import { ProviderFault, type ProviderFaultKind } from '../provider-fault.ts';
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

/** The codes that tell more than the status. In lower case, because Graph varies the case. */
const known: Readonly<Record<string, { kind: ProviderFaultKind; sentence?: string; isUnsent?: true }>> = {
  syncstatenotfound: { kind: 'cursor-lost' },
  syncstateinvalid: { kind: 'cursor-lost' },
  resyncrequired: { kind: 'cursor-lost' },
  // Graph sends these with a 404, although nothing is gone.
  mailboxnotenabledforrestapi: { kind: 'forbidden', sentence: noMailbox },
  errorinvaliduser: { kind: 'forbidden', sentence: noMailbox },
  errornonexistentmailbox: { kind: 'forbidden', sentence: noMailbox },
  // No mail can have such an id.
  errorinvalididmalformed: { kind: 'not-found' },
  // A permanent 500: Exchange cannot build the MIME of this mail.
  errormimecontentconversionfailed: { kind: 'refused' },
  applicationthrottled: { kind: 'throttled' },
  toomanyrequests: { kind: 'throttled' },
  errorexceededmessagelimit: { kind: 'throttled' },
  // The problem is in the mail, not in the mailbox.
  errorsendasdenied: {
    kind: 'refused',
    sentence:
      'The account that opens this mailbox may not send as the address in From: ' +
      'an Exchange administrator must give it "Send as"',
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
      'Microsoft 365 has blocked this mailbox from sending, as it does with senders of spam: ' +
      'its administrator can unblock it',
    isUnsent: true,
  },
};

/** For a 401 to a token that Microsoft 365 has just issued. */
const tokenRefused =
  'Microsoft 365 refuses the access to this mailbox that it has just granted: if this goes on, connect it again';

const sentences: Readonly<Record<ProviderFaultKind, string>> = {
  unauthorized: 'Microsoft 365 no longer accepts our access to this mailbox: connect it again',
  forbidden:
    'Microsoft 365 denies access to this mailbox: ' +
    'its administrator must allow our application to read and send its mail',
  misconfigured: 'The address of the Graph API leads elsewhere: the setting has to be mended',
  throttled: 'Microsoft 365 asks to wait, for too much was asked of this mailbox',
  unavailable: 'Microsoft 365 has trouble on its side, which passes by itself',
  'cursor-lost': 'Microsoft 365 no longer knows how far this mailbox was read',
  'not-found': 'Microsoft 365 has nothing there',
  refused: 'Microsoft 365 refused the request',
};

/**
 * @param sends whether the request sends a mail, which may have left even if Graph refuses the request, such as with
 * 429
 */
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

/** A 410 ends a delta link. A 409 (two conflicting writes) and a 400 without a reason are temporary. */
function kindOf(status: number, isNamed: boolean): ProviderFaultKind {
  if (status === 410) return 'cursor-lost';
  return status === 409 || (status === 400 && !isNamed) ? 'unavailable' : kindOfStatus(status);
}

/** For a successful answer whose content is unusable. */
export function senseless(code: string): ProviderFault {
  return new ProviderFault('unavailable', code, `Microsoft 365 answered what cannot be used (${code}).`);
}
