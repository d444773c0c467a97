import type { Language } from '../../ground/lib/language.ts';
import type { SurveyScale } from './schema.ts';

/** What customers read, in mails and on the page. */
type Words = {
  question: string;
  /** From the worst score to the best. */
  scores: Record<SurveyScale, readonly string[]>;
  comment: string;
  send: string;
  thanks: string;
  thanksText: string;
  confirm: string;
  confirmText: string;
  confirmSend: string;
  again: string;
  answered: string;
  answeredText: string;
  gone: string;
  goneText: string;
  /** The beginning of a mail that asks after closing. */
  closed: (number: number) => string;
};

export const customerWords: Readonly<Record<Language, Words>> = {
  en: {
    question: 'How satisfied are you with our help?',
    scores: {
      two: ['Not satisfied', 'Satisfied'],
      three: ['Not satisfied', 'So-so', 'Satisfied'],
      five: ['Very dissatisfied', 'Dissatisfied', 'Neither', 'Satisfied', 'Very satisfied'],
    },
    comment: 'Would you like to add something? (optional)',
    send: 'Send',
    thanks: 'Thank you!',
    thanksText: 'Your answer has arrived. You can close this page, or change your answer within seven days.',
    confirm: 'Did you answer yourself?',
    confirmText: 'Some mail programs open links by themselves. Your answer counts once you confirm it.',
    confirmSend: 'Yes, this was me',
    again: 'Please press the button once more. Your browser must accept the cookie of this page.',
    answered: 'This question is answered',
    answeredText: 'Nothing can be changed here any more. Just write us a mail.',
    gone: 'This page is not there any more',
    goneText: 'The link is incomplete, or its time is over. Just write us a mail.',
    closed: (number) => `We have closed your request #${number}. Just answer this mail if anything is left.`,
  },
  de: {
    question: 'Wie zufrieden sind Sie mit unserer Hilfe?',
    scores: {
      two: ['Nicht zufrieden', 'Zufrieden'],
      three: ['Nicht zufrieden', 'Teils, teils', 'Zufrieden'],
      five: ['Sehr unzufrieden', 'Unzufrieden', 'Teils, teils', 'Zufrieden', 'Sehr zufrieden'],
    },
    comment: 'Möchten Sie etwas hinzufügen? (freiwillig)',
    send: 'Senden',
    thanks: 'Vielen Dank!',
    thanksText:
      'Ihre Antwort ist angekommen. Sie können diese Seite schließen, oder die Antwort sieben Tage lang ändern.',
    confirm: 'Haben Sie selbst geantwortet?',
    confirmText: 'Manche E-Mail-Programme öffnen Links von selbst. Ihre Antwort zählt, sobald Sie sie bestätigen.',
    confirmSend: 'Ja, das war ich',
    again: 'Bitte klicken Sie noch einmal. Ihr Browser muss das Cookie dieser Seite annehmen.',
    answered: 'Diese Frage ist beantwortet',
    answeredText: 'Hier lässt sich nichts mehr ändern. Schreiben Sie uns einfach eine E-Mail.',
    gone: 'Diese Seite gibt es nicht mehr',
    goneText: 'Der Link ist unvollständig, oder seine Zeit ist abgelaufen. Schreiben Sie uns einfach eine E-Mail.',
    closed: (number) =>
      `Wir haben Ihre Anfrage #${number} abgeschlossen. Ist noch etwas offen, antworten Sie einfach auf diese E-Mail.`,
  },
};
