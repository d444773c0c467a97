import { escapeHtml, escapeText } from '@kontor/mail/html/html-text.ts';
import type { Asked } from './ask.ts';
import type { SurveyLinks } from './survey-links.ts';
import { customerWords } from './words.ts';

/** The question below an answer, with a link for each score. Only a program follows the link that has no text. */
export function questionInMail(links: SurveyLinks, ask: Asked): { text: string; html: string } {
  const words = customerWords[ask.language];
  const question = ask.question ?? words.question;
  const choices = words.scores[ask.scale].map((name, index) => ({ name, url: links.urlOf(ask, index + 1) }));
  // The best first, because mail programs cut long mails.
  choices.reverse();
  const anchors = choices.map(({ name, url }) => `<a href="${escapeHtml(url)}">${escapeText(name)}</a>`);
  const trap = `<a href="${escapeHtml(links.trapOf(ask))}" rel="nofollow" style="display:none"></a>`;
  return {
    text: [question, ...choices.map(({ name, url }) => `${name}: ${url}`)].join('\n'),
    html: `<p>${escapeText(question)}<br>${anchors.join(' · ')}${trap}</p>`,
  };
}
