import type { ProviderFault } from '../../provider-fault.ts';
import { type ReasonKey, reasonKeys, reasonOf } from '../../providers/mailbox-reasons.ts';

/** Every sentence of a check, except those of faults. The list is closed. The web inbox has its German sentences. */
export const checkCatalog = {
  no_access: 'Not tried, because the provider gave no access.',
  unreadable: 'Not tried, because the mailbox could not be read.',
  not_ordered: 'Not tried, because the provider has no order to notify.',
  not_active: 'Not tried, because the mailbox is not active.',
  sign_in_paused:
    'Not tried: three passwords in a row were refused, and another try within the hour could lock the account.',
  signed_in: 'The server lets {address} sign in.',
  renewed: '{product} renewed the access.',
  readable: 'The mailbox of {address} can be read. Mails of the last day: {mails}.',
  readable_at_least: 'The mailbox of {address} can be read. Mails of the last day: at least {mails}.',
  answers_refused: 'The provider refuses the answers of this mailbox.',
  answer_refused: 'The provider refused the last answer.',
  may_send: 'The consent covers sending, and the provider refuses no answers.',
  may_submit: 'The SMTP server lets the account send from this address.',
  looks_itself: 'The provider does not notify of this mailbox. Kontor looks every three minutes.',
  no_notifications: 'The provider does not notify of this mailbox.',
  watched: '{product} is to notify of new mail for {left}, and Kontor renews this.',
  reached: 'Notifications reach this service at {url}.',
  not_reached: 'This service does not answer at its public address. {said}',
  resume_paused: 'The mailbox is paused: resume it to fetch its mail.',
  resume: 'Resume the mailbox to fetch its mail now.',
  free_it: 'Free the mailbox at its provider. Then resume it here, or retry an answer.',
  see_answer: 'Kontor tries it again. Look at the answer for the reason of the provider.',
  reconnect: 'Connect the mailbox again. Nothing is lost.',
  ask_administrator: "Ask the administrator of the mailbox's organisation to allow the access.",
  ask_operator: 'The operator of this service must correct its settings: docs/mailboxes.md lists them.',
  ask_operator_to_watch:
    'The operator of this service must correct its settings: docs/mailboxes.md lists them. Until then, Kontor looks ' +
    'every three minutes.',
  check_later: 'Check again in a few minutes. Kontor goes on trying by itself.',
  see_provider: 'Check at the provider whether the mailbox still exists.',
  check_again: 'Check again. If it stays so, connect the mailbox again.',
  public_url: 'PUBLIC_URL must lead from the Internet to this service. Until then, Kontor looks every three minutes.',
} as const satisfies Record<string, string>;

type CheckKey = keyof typeof checkCatalog;
/** The API's list of the keys: sentences of the check, and reasons of faults. */
export const sentenceKeys = [...(Object.keys(checkCatalog) as CheckKey[]), ...reasonKeys];
type Params = Record<string, string | number>;
export type Sentence = { text: string; key: CheckKey | ReasonKey | null; params: Params };

export function say(key: CheckKey, params: Params = {}): Sentence {
  const text = checkCatalog[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
  return { text, key, params };
}

export function sayFault(fault: ProviderFault): Sentence {
  return { text: fault.message, key: reasonOf(fault), params: {} };
}
