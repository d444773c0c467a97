import type { ReasonKey } from '../../../../mail/providers/mailbox-reasons.ts';

/** Why a mailbox does not work, in the sentences of the web inbox. */
export const germanReasons: Readonly<Record<ReasonKey, string>> = {
  consent: 'Der Anbieter nimmt den Zugriff auf dieses Postfach nicht mehr an: Verbinden Sie es erneut.',
  scope:
    'Beim Verbinden wurden nicht alle nötigen Rechte gewährt: Verbinden Sie das Postfach erneut, und erlauben ' +
    'Sie alle.',
  disconnected: 'Das Postfach ist getrennt: Verbinden Sie es erneut.',
  imap_login: 'Der IMAP-Server lehnt den Benutzernamen oder das Passwort ab.',
  smtp_login: 'Der SMTP-Server lehnt den Benutzernamen oder das Passwort ab.',
  password_not_taken: 'Der Server nimmt kein Passwort an, oder nur ein eigenes für Anwendungen.',
  tls: 'Der Server hat kein Zertifikat, dem Kontor vertrauen kann.',
  no_folder:
    'Ein Ordner, den Kontor liest, ist nicht mehr auf dem Server: Legen Sie ihn dort wieder an, oder ' +
    'verbinden Sie das Postfach erneut.',
  from_refused:
    'Der SMTP-Server lässt dieses Konto nicht von der Adresse des Postfachs senden: Erlauben Sie die Adresse ' +
    'dort.',
  no_mailbox:
    'Das Konto hat bei diesem Anbieter kein Postfach: Verbinden Sie ein anderes, oder lassen Sie ihm eines ' + 'geben.',
  sending_blocked:
    'Der Anbieter hat dieses Postfach für das Senden gesperrt, wie bei Absendern von Spam. Wer es verwaltet, ' +
    'kann die Sperre aufheben.',
  forbidden:
    'Der Anbieter oder die Organisation des Postfachs erlaubt den Zugriff nicht: Wer es verwaltet, muss ' +
    'Kontor das Lesen und Senden erlauben.',
  client_missing: 'Die Anwendung für diesen Anbieter ist auf diesem Server nicht eingerichtet.',
  sealed:
    'Die Zugangsdaten sind mit einem Schlüssel versiegelt, der in ENCRYPTION_KEY fehlt: Er muss wieder ' +
    'eingesetzt oder das Postfach erneut verbunden werden.',
  misconfigured:
    'Die Einstellungen dieses Servers passen nicht zum Anbieter: Wer den Dienst betreibt, muss sie ' + 'berichtigen.',
  storage_full:
    'Der Arbeitsbereich hat seine Speichergrenze erreicht: Seine E-Mails warten beim Anbieter, bis die Grenze ' +
    'angehoben wird.',
  busy: 'Der Anbieter bittet um Geduld, weil von diesem Postfach zu viel abgerufen wurde.',
  away: 'Der Anbieter antwortet zurzeit nicht richtig. Meist geht das von selbst vorüber.',
  gone: 'Der Anbieter kennt nicht mehr, wonach Kontor fragt: Sehen Sie dort nach, ob es das Postfach noch gibt.',
  refused: 'Der Anbieter hat die Anfrage abgelehnt.',
  not_notified: 'Der Anbieter meldet neue E-Mails nicht, darum sieht Kontor nur alle paar Minuten nach.',
  unverified:
    'Die Meldungen des Anbieters für dieses Postfach kommen ohne ihr Geheimnis an, darum sieht Kontor nur ' +
    'alle paar Minuten nach. Manche Organisationen bei Microsoft 365 entfernen es, oder MAIL_A_WEBHOOK_SECRET ' +
    'wurde geändert.',
  renumbered:
    'Der Server hat seine E-Mails neu nummeriert, und viele davon waren unbekannt: Sie gelten als alte ' +
    'E-Mails, über die niemand benachrichtigt wird. Sehen Sie die Tickets durch, die mit ihnen kamen.',
  not_tidied:
    'E-Mails werden übernommen, lassen sich auf dem Server aber nicht als gelesen markieren oder verschieben.',
};
