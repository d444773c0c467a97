import type { SignInChange, WebhookEnd } from '../../../../ground/catalog/jobs.ts';
import { germanReasons } from './german-reasons.ts';
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
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: paragraphs(
      'Jemand, wahrscheinlich Sie, hat mit dieser Adresse ein Kontor-Konto angelegt. Bestätigen Sie innerhalb von ' +
        '48 Stunden mit diesem Link, dass die Adresse Ihnen gehört, und wählen Sie dort Ihr Passwort:',
      link,
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ohne den Link bleibt das Konto geschlossen.',
    ),
  };
}

export function addressTakenLetter(publicUrl: string, isVerified: boolean): Letter {
  return {
    subject: 'Sie haben schon ein Konto',
    text: paragraphs(
      'Jemand, wahrscheinlich Sie, wollte sich mit dieser Adresse registrieren. Es gibt schon ein Konto mit ihr; ' +
        'geändert wurde nichts.',
      isVerified
        ? 'Wenn Sie das waren, melden Sie sich mit Ihrem Passwort an:'
        : 'Noch hat niemand gezeigt, dass ihm die Adresse gehört; vielleicht hat jemand anderes das Konto angelegt. ' +
            'Wenn Sie selbst sich eben registriert haben, folgen Sie keinem Link zur Bestätigung der Adresse. ' +
            'Setzen Sie über „Passwort vergessen“ ein neues Passwort: Das sperrt alle aus, die das Konto angelegt ' +
            'haben könnten:',
      publicUrl,
      'Wenn Sie das nicht waren, brauchen Sie nichts zu tun.',
    ),
  };
}

export function resetLetter(link: string): Letter {
  return {
    subject: 'Neues Passwort setzen',
    text: paragraphs(
      'Jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Kontor-Konto angefordert. Setzen Sie es innerhalb ' +
        'einer Stunde mit diesem Link:',
      link,
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Das Passwort bleibt, wie es ist.',
    ),
  };
}

export function changeEmailLetter(link: string): Letter {
  return {
    subject: 'Bestätigen Sie Ihre neue Adresse',
    text: paragraphs(
      'Jemand, wahrscheinlich Sie, möchte diese Adresse für ein Kontor-Konto verwenden. Bestätigen Sie sie innerhalb ' +
        'von 24 Stunden mit diesem Link:',
      link,
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Das Konto behält seine Adresse.',
    ),
  };
}

export function emailChangedLetter(publicUrl: string): Letter {
  return {
    subject: 'Die Adresse Ihres Kontos wurde geändert',
    text: paragraphs(
      'Ihr Kontor-Konto hat jetzt eine andere E-Mail-Adresse. E-Mails an diese Adresse hier erreichen es nicht mehr.',
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn nicht, bitten Sie sofort einen Inhaber Ihres ' +
        'Arbeitsbereichs, das Konto zu entfernen und Sie neu einzuladen:',
      publicUrl,
    ),
  };
}

const changes: Record<SignInChange, string> = {
  password: 'Das Passwort Ihres Kontor-Kontos wurde geändert.',
  'second-factor-on': 'Die Anmeldung an Ihrem Kontor-Konto fragt ab jetzt nach einem Code.',
  'second-factor-off': 'Die Anmeldung an Ihrem Kontor-Konto fragt nicht mehr nach einem Code.',
  'recovery-codes': 'Für Ihr Kontor-Konto gibt es neue Wiederherstellungscodes: Die alten gelten nicht mehr.',
  'recovery-code-used': 'Mit einem Wiederherstellungscode hat sich jemand an Ihrem Kontor-Konto angemeldet.',
  'identity-linked': 'Ein Konto bei Google oder Microsoft meldet ab jetzt an Ihrem Kontor-Konto an.',
  'identity-unlinked': 'Ein Konto bei Google oder Microsoft meldet nicht mehr an Ihrem Kontor-Konto an.',
};

export function signInChangedLetter(change: SignInChange, publicUrl: string): Letter {
  return {
    subject: 'Ihre Anmeldung wurde geändert',
    text: paragraphs(
      changes[change],
      'Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn nicht, setzen Sie sofort über „Passwort vergessen“ ein ' +
        'neues Passwort; das meldet auch alle ab:',
      publicUrl,
      'Das entfernt auch Ihre API-Schlüssel und die Konten bei Google oder Microsoft, die Sie anmelden, wenn Sie ' +
        'diese nicht behalten.',
    ),
  };
}

export function invitationLetter(invitation: InvitationFacts): Letter {
  const { workspaceName, inviterName, inviterEmail, link } = invitation;
  const inviter = inviterName === null ? inviterEmail : `${inviterName} (${inviterEmail})`;
  const workspace = workspaceName === null ? 'einem Arbeitsbereich' : `„${workspaceName}“`;
  return {
    subject: `Einladung zu ${workspaceName ?? 'einem Arbeitsbereich'}`,
    text: paragraphs(
      `${inviter} lädt Sie zu ${workspace} in Kontor ein. Nehmen Sie binnen 7 Tagen mit diesem Link an:`,
      link,
      'Wenn Sie nicht wissen, worum es geht, ignorieren Sie diese E-Mail.',
    ),
  };
}

const webhookEnds: Record<WebhookEnd, string> = {
  gone: 'sie hat geantwortet, dass es sie nicht mehr gibt (410)',
  failing: 'dort ist seit einem Tag nichts angekommen',
};

export function webhookDisabledLetter(webhook: WebhookFacts): Letter {
  const { workspaceName, origin, cause } = webhook;
  return {
    subject: `Ein Webhook von ${workspaceName} wurde ausgeschaltet`,
    text: paragraphs(
      `Was in „${workspaceName}“ geschieht, wird nicht mehr an diese Adresse gesendet, denn ${webhookEnds[cause]}:`,
      origin,
      'Schalten Sie den Webhook wieder ein, sobald der Empfänger funktioniert. Was vorher geschieht, erfährt er nicht.',
    ),
  };
}

export function teamJoinedLetter({ workspaceName, teamName, memberName, publicUrl }: TeamFacts): Letter {
  return {
    subject: `Ein Admin ist ${teamName} beigetreten`,
    text: paragraphs(
      `${memberName} verwaltet die Teams von „${workspaceName}“ und ist Ihrem Team „${teamName}“ beigetreten. Die ` +
        'Person sieht ab jetzt dessen Tickets.',
      'Wer zum Team gehört, sehen Sie in Kontor:',
      publicUrl,
      'Um keine dieser E-Mails mehr zu bekommen, schalten Sie E-Mails über Teams in Ihren Mitteilungen aus.',
    ),
  };
}

export function mailboxTroubleLetter(mailbox: MailboxTroubleFacts): Letter {
  const { workspaceName, address, field, status, since, reason, reasonKey, publicUrl } = mailbox;
  const isSending = field === 'sendStatus';
  const verb = isSending ? 'gesendet' : 'abgeholt';
  const effect = isSending
    ? 'Antworten warten und werden zwei Tage lang erneut versucht. Danach scheitern sie.'
    : 'Neue E-Mails warten beim Anbieter und werden abgeholt, sobald das Postfach wieder gelesen werden kann.';
  const remedy =
    status === 'reauthorization_required'
      ? 'Verbinden Sie das Postfach erneut, in Kontor unter:'
      : 'Kontor versucht es von selbst weiter. Sobald die Ursache behoben ist, können Sie das Postfach fortsetzen, ' +
        'in Kontor unter:';
  return {
    subject: `E-Mails von ${address} werden nicht ${verb}`,
    text: paragraphs(
      `Seit ${since} konnte keine E-Mail des Postfachs ${address} von „${workspaceName}“ ${verb} werden.`,
      ...(reasonKey === null ? [] : [`Der Grund: ${germanReasons[reasonKey]}`]),
      ...(reason === null ? [] : [`Im Wortlaut: ${reason}`]),
      effect,
      remedy,
      publicUrl,
      'Sie bekommen diese E-Mail einmal am Tag, bis das Postfach funktioniert. Wenn Sie das nicht wollen, schalten ' +
        'Sie in Ihren Mitteilungen E-Mails über Postfächer aus.',
    ),
  };
}

export function digestLetter(digest: DigestFacts): Letter {
  const { workspaceName, titles, count, publicUrl, unsubscribeUrl } = digest;
  const unread = count === 1 ? 'Eine ungelesene Mitteilung' : `${count} ungelesene Mitteilungen`;
  const more = count - titles.length;
  return {
    subject: `${unread} in ${workspaceName}`,
    text: paragraphs(
      `${unread} in „${workspaceName}“:`,
      // The dash keeps a title from beginning a line with a link.
      titles.map((title) => `- ${title}`).join('\n'),
      ...(more > 0 ? [`Und ${more} weitere.`] : []),
      'Sie finden sie in Kontor unter:',
      publicUrl,
      'Wenn Sie diese E-Mails nicht mehr möchten, folgen Sie diesem Link:',
      unsubscribeUrl,
    ),
  };
}
