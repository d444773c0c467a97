import type { MailboxField } from '../../../../ground/catalog/events.ts';
import type { WebhookEnd } from '../../../../ground/catalog/jobs.ts';
import type { ReasonKey } from '../../../../mail/providers/mailbox-reasons.ts';

/** A mail that the service writes. Each link stands alone on its line. */
export type Letter = { subject: string; text: string };

// Names, titles and reasons in the facts below must be single lines.

/** A stranger reads this letter. So names that could be links or messages are null, and only the address is shown. */
export type InvitationFacts = {
  workspaceName: string | null;
  inviterName: string | null;
  inviterEmail: string;
  link: string;
};

export type WebhookFacts = { workspaceName: string; origin: string; cause: WebhookEnd };

export type TeamFacts = { workspaceName: string; teamName: string; memberName: string; publicUrl: string };

export type MailboxTroubleFacts = {
  workspaceName: string;
  address: string;
  field: MailboxField;
  status: string;
  since: string;
  reason: string | null;
  reasonKey: ReasonKey | null;
  publicUrl: string;
};

export type DigestFacts = {
  workspaceName: string;
  /** Each names its ticket by the number. */
  titles: readonly string[];
  count: number;
  publicUrl: string;
  unsubscribeUrl: string;
};

export function paragraphs(...texts: string[]): string {
  return `${texts.join('\n\n')}\n`;
}
