/** What Graph's refusals mean, and what people are told of them. */
import { ProviderFault, type ProviderFaultKind } from '../provider.ts';
import { asObject, faultCode, jsonOf, kindOfStatus, type ProviderAnswer, retryAfterMsOf } from './provider-request.ts';

const noMailbox =
  'This account has no mailbox that Microsoft 365 hosts: connect one that has, or have its administrator give it one';

/** Where the code tells more than the status, in lower case, for its casing varies. */
const known: Readonly<Record<string, { kind: ProviderFaultKind; sentence?: string }>> = {
  syncstatenotfound: { kind: 'cursor-lost' },
  syncstateinvalid: { kind: 'cursor-lost' },
  resyncrequired: { kind: 'cursor-lost' },
  // These come as 404, and yet nothing is gone.
  mailboxnotenabledforrestapi: { kind: 'forbidden', sentence: noMailbox },
  errorinvaliduser: { kind: 'forbidden', sentence: noMailbox },
  errornonexistentmailbox: { kind: 'forbidden', sentence: noMailbox },
  // What was named is no name of a mail: nothing is there.
  errorinvalididmalformed: { kind: 'not-found' },
  applicationthrottled: { kind: 'throttled' },
  toomanyrequests: { kind: 'throttled' },
  errorexceededmessagelimit: { kind: 'throttled' },
  // The mail's fault, not the mailbox's.
  errorsendasdenied: {
    kind: 'refused',
    sentence:
      'Whoever opens this mailbox for us may not send as the address in From: an administrator of Exchange has to give them "Send as"',
  },
  errorquotaexceeded: { kind: 'refused', sentence: 'The mailbox is full: make room in it' },
  errormessagesizeexceeded: { kind: 'refused', sentence: 'The mail is larger than the mailbox may send' },
  errorinvalidrecipients: { kind: 'refused', sentence: 'Microsoft 365 takes one of the recipients for no address' },
};

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

/** @param sends the request sends mail, which a fault on their side does not rule out */
export function faultOf(answer: ProviderAnswer, sends: boolean): ProviderFault {
  const code = codeOf(answer);
  const { kind, sentence } = known[code.toLowerCase()] ?? { kind: kindOf(answer.status) };
  return new ProviderFault(kind, code, `${sentence ?? sentences[kind]} (${code}).`, {
    retryAfterMs: retryAfterMsOf(answer),
    mayHaveHappened: sends && kind === 'unavailable',
  });
}

/** 410 is a delta link's end. A conflict between two writes passes. */
function kindOf(status: number): ProviderFaultKind {
  if (status === 410) return 'cursor-lost';
  return status === 409 ? 'unavailable' : kindOfStatus(status);
}

function codeOf(answer: ProviderAnswer): string {
  return faultCode(asObject(jsonOf(answer)?.error)?.code) ?? String(answer.status);
}

/** An answer that says yes and makes no sense. */
export function senseless(code: string): ProviderFault {
  return new ProviderFault('unavailable', code, `Microsoft 365 answered what cannot be used (${code}).`);
}
