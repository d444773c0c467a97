import type { SignInChange, WebhookEnd } from '../../../../ground/catalog/jobs.ts';
import {
  type DigestFacts,
  type InvitationFacts,
  type Letter,
  type MailboxTroubleFacts,
  paragraphs,
  type TeamFacts,
  type WebhookFacts,
} from './letter.ts';

export function verificationLetter(link: string): Letter {
  return {
    subject: 'Verify your e-mail address',
    text: paragraphs(
      'Somebody, probably you, made a Kontor account with this address. To show that the address is yours, ' +
        'follow this link within 48 hours, and choose your password there:',
      link,
      'If it was not you, ignore this mail: without the link the account stays closed.',
    ),
  };
}

export function addressTakenLetter(publicUrl: string, isVerified: boolean): Letter {
  return {
    subject: 'You already have an account',
    text: paragraphs(
      'Somebody, probably you, tried to register with this address. There is an account with it already, so ' +
        'nothing was changed.',
      isVerified
        ? 'If it was you, sign in with your password at:'
        : 'Nobody has shown yet that the address is theirs, so the account may have been made by somebody else. ' +
            'If it was you who registered now, follow no link to verify the address: set a password by "forgot ' +
            'password", which shuts out whoever made the account, at:',
      publicUrl,
      'If it was not you, there is nothing to do.',
    ),
  };
}

export function resetLetter(link: string): Letter {
  return {
    subject: 'Set a new password',
    text: paragraphs(
      'Somebody, probably you, asked for a new password for your Kontor account. To set one, follow this link ' +
        'within an hour:',
      link,
      'If it was not you, ignore this mail: the password stays as it is.',
    ),
  };
}

export function changeEmailLetter(link: string): Letter {
  return {
    subject: 'Confirm your new address',
    text: paragraphs(
      'Somebody, probably you, wants to use this address for a Kontor account. To confirm it, follow this ' +
        'link within 24 hours:',
      link,
      'If it was not you, ignore this mail: the account keeps its address.',
    ),
  };
}

export function emailChangedLetter(publicUrl: string): Letter {
  return {
    subject: 'The address of your account was changed',
    text: paragraphs(
      'Your Kontor account now has another e-mail address. Mails to this address no longer reach it.',
      'If it was you, there is nothing to do. If it was not, ask an owner of your workspace at once to remove ' +
        'the account, and to invite you again:',
      publicUrl,
    ),
  };
}

const changes: Record<SignInChange, string> = {
  password: 'The password of your Kontor account was changed.',
  'second-factor-on': 'Signing in to your Kontor account asks for a code from now on.',
  'second-factor-off': 'Signing in to your Kontor account no longer asks for a code.',
  'recovery-codes': 'New recovery codes were made for your Kontor account: the old ones are worth nothing now.',
  'recovery-code-used': 'One of the recovery codes of your Kontor account was used to sign in.',
  'identity-linked': 'An account elsewhere, at Google or Microsoft, signs in to your Kontor account from now on.',
  'identity-unlinked': 'An account elsewhere, at Google or Microsoft, no longer signs in to your Kontor account.',
};

export function signInChangedLetter(change: SignInChange, publicUrl: string): Letter {
  return {
    subject: 'A change to how you sign in',
    text: paragraphs(
      changes[change],
      'If it was you, there is nothing to do. If it was not, set a new password at once, by "forgot ' +
        'password", which also signs everybody out:',
      publicUrl,
      'It also removes your API keys and the accounts elsewhere that sign you in, unless you keep them.',
    ),
  };
}

export function invitationLetter(invitation: InvitationFacts): Letter {
  const { workspaceName, inviterName, inviterEmail, link } = invitation;
  const inviter = inviterName === null ? inviterEmail : `${inviterName} (${inviterEmail})`;
  const workspace = workspaceName === null ? 'a workspace' : `"${workspaceName}"`;
  return {
    subject: `Invitation to ${workspaceName ?? 'a workspace'}`,
    text: paragraphs(
      `${inviter} invites you to join ${workspace} on Kontor. To accept, follow this link within 7 days:`,
      link,
      'If you do not know what this is about, ignore this mail.',
    ),
  };
}

const webhookEnds: Record<WebhookEnd, string> = {
  gone: 'it answered that it is gone (410)',
  failing: 'nothing has arrived there for a day',
};

export function webhookDisabledLetter(webhook: WebhookFacts): Letter {
  const { workspaceName, origin, cause } = webhook;
  return {
    subject: `A webhook of ${workspaceName} was disabled`,
    text: paragraphs(
      `What happens in "${workspaceName}" is no longer sent to this address, because ${webhookEnds[cause]}:`,
      origin,
      'Once the receiver works again, enable the webhook again. It does not get the events until then.',
    ),
  };
}

export function teamJoinedLetter({ workspaceName, teamName, memberName, publicUrl }: TeamFacts): Letter {
  return {
    subject: `An admin has joined ${teamName}`,
    text: paragraphs(
      `${memberName} manages the teams of "${workspaceName}", and has joined your team "${teamName}". From now on ` +
        'they see its tickets.',
      'You see who is in the team in Kontor, at:',
      publicUrl,
      'To get no more of these mails, turn off mails about teams in your notification preferences.',
    ),
  };
}

export function mailboxTroubleLetter(mailbox: MailboxTroubleFacts): Letter {
  const { workspaceName, address, field, status, since, reason, publicUrl } = mailbox;
  const isSending = field === 'sendStatus';
  const verb = isSending ? 'sent' : 'fetched';
  const effect = isSending
    ? 'Answers wait and are tried again for two days. Then they fail.'
    : 'New mail waits at the provider and is fetched once the mailbox can be read again.';
  const remedy =
    status === 'reauthorization_required'
      ? 'Connect the mailbox again, in Kontor, at:'
      : 'Kontor tries again by itself. Once the cause is fixed, you can resume the mailbox in Kontor, at:';
  return {
    subject: `Mail of ${address} is not being ${verb}`,
    text: paragraphs(
      `Since ${since} no mail of the mailbox ${address} of "${workspaceName}" could be ${verb}.`,
      ...(reason === null ? [] : [`The reason: ${reason}`]),
      effect,
      remedy,
      publicUrl,
      'You get this mail once a day until the mailbox works. To stop it, turn off mails about mailboxes in ' +
        'your notification preferences.',
    ),
  };
}

export function digestLetter(digest: DigestFacts): Letter {
  const { workspaceName, titles, count, publicUrl, unsubscribeUrl } = digest;
  const unread = count === 1 ? 'One unread notification' : `${count} unread notifications`;
  const more = count - titles.length;
  return {
    subject: `${unread} in ${workspaceName}`,
    text: paragraphs(
      `${unread} in "${workspaceName}" on Kontor:`,
      // The dash keeps a title from beginning a line with a link.
      titles.map((title) => `- ${title}`).join('\n'),
      ...(more > 0 ? [`And ${more} more.`] : []),
      'You find them in Kontor, at:',
      publicUrl,
      'To get no more of these mails, follow this link:',
      unsubscribeUrl,
    ),
  };
}
