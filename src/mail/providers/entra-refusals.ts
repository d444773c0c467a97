/** Explains the error numbers of Entra that people can act on: who must act, and how. */
import type { ProviderFaultKind } from '../provider-fault.ts';
import { faultCode } from './provider-request.ts';

type Cause = { kind: ProviderFaultKind; sentence: string };

/** A new consent helps, sometimes only after another step. */
const consent = (sentence: string): Cause => ({ kind: 'unauthorized', sentence });
/** The consent is valid, but an administrator of the tenant must act. Kontor retries automatically. */
const tenant = (sentence: string): Cause => ({ kind: 'forbidden', sentence });
const operator = (sentence: string): Cause => ({ kind: 'misconfigured', sentence });

const again = 'connect the mailbox again';
const secondFactor = consent(`Microsoft 365 asks the mailbox's owner for a second factor: ${again}`);
const signedOut = consent(
  `The mailbox's account was signed out everywhere, or its password was changed: ${again}, after it has signed in`,
);
const approval = consent(
  `An administrator of the organisation has to approve our application: send them the link for that, then ${again}`,
);
const conditionalAccess = (what: string) =>
  consent(
    `A rule of the mailbox's organisation (conditional access) ${what}: ` +
      `have its administrator allow our application, then ${again}`,
  );

/** learn.microsoft.com/entra/identity-platform/reference-error-codes */
const causes: Readonly<Record<number, Cause>> = {
  50034: consent(`The mailbox's account is not in its organisation any more: have it put back, then ${again}`),
  500341: consent(`The mailbox's account was deleted: have it restored, then ${again}`),
  50057: consent(`The mailbox's account is disabled: have it enabled, then ${again}`),
  50074: secondFactor,
  50076: secondFactor,
  50079: secondFactor,
  50132: signedOut,
  50133: signedOut,
  50173: consent(`The consent for this mailbox was revoked: ${again}`),
  53000: conditionalAccess('asks for a device that the organisation manages'),
  53001: conditionalAccess('asks for a device in the domain of the organisation'),
  53002: conditionalAccess('asks for an application that the organisation approved'),
  53003: conditionalAccess('refuses'),
  65001: consent(`Nobody has consented yet, or no longer does: ${again}`),
  65004: consent(`Consent was declined: ${again}`),
  // Entra also answers with this number in "service abuse mode".
  70000: consent(
    `Microsoft 365 no longer accepts the consent: ${again}. ` +
      `If that does not help, see whether Microsoft has restricted the account`,
  ),
  70008: consent(`The consent for this mailbox has expired: ${again}`),
  70043: consent(`The organisation lets a sign-in last for a limited time, which is over: ${again}`),
  700082: consent(`The consent for this mailbox has expired, because it was not used for a long time: ${again}`),
  90093: approval,
  90094: approval,
  90095: approval,
  // Somebody deleted the application from the tenant. A new consent adds it again. A wrong client id looks the same.
  700016: consent(
    `Our application was removed from the mailbox's organisation: ${again}. ` +
      `If this happens to all mailboxes, the operator must check MAIL_A_CLIENT_ID`,
  ),
  50105: tenant(
    'Only people to whom our application is assigned may use it: ' +
      "have an administrator of the organisation assign it to the mailbox's account",
  ),
  500011: tenant(
    "The mailbox's organisation has no Microsoft Graph at this address: have its administrator enable it. " +
      'If this happens to all mailboxes, the operator must check MAIL_A_API_URL',
  ),
  7000112: tenant(
    "Our application is disabled in the mailbox's organisation: have its administrator enable it. " +
      "If this happens to all mailboxes, it is disabled in the operator's own organisation",
  ),
  7000215: operator("The application's client secret is wrong: the operator must correct it"),
  7000222: operator("The application's client secret has expired: the operator must set a new one"),
};

/** Explains why Entra sent a browser back without a code. Undefined for other providers and unknown reasons. */
export function explainDenial({ error, description }: { error: string; description: string }): string | undefined {
  const [, number] = /^AADSTS(\d{1,8})\b/.exec(description) ?? [];
  // A policy lets only administrators consent, and the person left the page that says so.
  const needsApproval = error === 'consent_required' || number === '65001';
  return (needsApproval ? approval : causes[Number(number)])?.sentence;
}

/** Explains a refusal of the token endpoint. Returns an empty object for unknown numbers. */
export function explainRefusal({ error_codes: numbers, error }: Record<string, unknown>): Partial<Cause> {
  for (const number of Array.isArray(numbers) ? numbers : []) {
    const cause = causes[Number(number)];
    if (cause !== undefined)
      return { ...cause, sentence: `${cause.sentence} (${faultCode(error) ?? 'refused'}, AADSTS${Number(number)})` };
  }
  return {};
}
