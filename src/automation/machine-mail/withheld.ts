/** Why a machine does not answer a mail. */
export const withheldReasons = [
  /** The message is no mail of a customer, or nobody knows which mail to answer. */
  'not_mail',
  /** It came from an import, or long after it was written. */
  'not_live',
  /** The ticket is a sample. */
  'sample',
  /** The ticket is spam, in the trash or merged, or its writer is blocked. */
  'not_in_inbox',
  /** A machine or a list wrote it, or it reports on another mail. */
  'automatic',
  /** Its sender asks for no automatic answers. */
  'asked_not_to',
  /** Its envelope has no sender, or nobody knows the sender. */
  'no_envelope_sender',
  /** Nobody reads mail to its sender. */
  'machine_address',
  /** It comes from one of our own addresses, or from a member. */
  'own_address',
  /** Neither To nor Cc names one of our addresses. */
  'not_addressed',
  /** Somebody else may have written it in the name of its sender. */
  'unproven',
  /** The mailbox of the ticket cannot send. */
  'cannot_send',
  /** Automatic mail of the mailbox rests, until an admin resumes it. */
  'paused',
  /** The same kind of answer went to the address a short time ago. */
  'answered_lately',
  /** The address, or addresses that differ in numbers only, got several within an hour. */
  'address_limit',
  /** The mailbox has sent very many within an hour. */
  'mailbox_limit',
  /** The workspace has mailed too many new recipients. */
  'recipient_limit',
  /** The saved reply is gone, belongs to one member, or says nothing. */
  'reply_missing',
  /** A variable of the saved reply has no value and no default. */
  'variable_missing',
  /** Something went wrong in the service. */
  'failed',
] as const;
export type Withheld = (typeof withheldReasons)[number];

/** What asks for an automatic answer: an automatic reply by its kind, a rule, or a survey. */
export const machineMailKinds = ['received', 'out_of_hours', 'rule', 'survey'] as const;
export type MachineMailKind = (typeof machineMailKinds)[number];
