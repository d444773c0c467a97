const weekdays: Record<string, string> = {
  mo: 'monday',
  montag: 'monday',
  di: 'tuesday',
  dienstag: 'tuesday',
  mi: 'wednesday',
  mittwoch: 'wednesday',
  do: 'thursday',
  donnerstag: 'thursday',
  fr: 'friday',
  freitag: 'friday',
  sa: 'saturday',
  samstag: 'saturday',
  sonnabend: 'saturday',
  so: 'sunday',
  sonntag: 'sunday',
};
const numbers = ['ein', 'zwei', 'drei', 'vier', 'fuenf', 'sechs', 'sieben', 'acht', 'neun', 'zehn', 'elf', 'zwoelf'];
const anyWeekday = Object.keys(weekdays).join('|');
const nextWord = '(?:naechste|kommende)[nrsm]?';

/**
 * German expressions and the English expressions that `readSnooze` knows. Later entries see the results of earlier
 * entries.
 */
const expressions: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  [/\b(?:am|um|bis|zum|den|der|ab|gegen)(?: |$)/g, ''],
  [/\beiner halben stunde\b/g, '30 min'],
  [/\bein(?:e[nrm]?)?(?= )/g, '1'],
  [new RegExp(`\\b(${numbers.join('|')})(?= )`, 'g'), (word = '') => String(numbers.indexOf(word) + 1)],
  [/\bstd\b|\bstunden?\b/g, 'hours'],
  [/\bminuten?\b/g, 'min'],
  [/\btag(?:en?)?\b/g, 'days'],
  [/\bmonat(?:en?)?\b/g, 'month'],
  [/\bwochenende\b/g, 'weekend'],
  [/\bwochen?\b/g, 'week'],
  [/\bhalb (\d{1,2})(?: uhr)?$/g, (_all = '', hour = '') => `${Number(hour) - 1}:30`],
  [/\b(\d{1,2}) uhr (\d{2})$/g, '$1:$2'],
  [/ uhr$/g, ''],
  [/\bmittags?$/g, 'noon'],
  [/\bmitternacht$/g, 'midnight'],
  [/\buebermorgen\b/g, 'day after tomorrow'],
  [/\bheute\b/g, 'today'],
  [new RegExp(`\\b(${anyWeekday})\\b[.,]?`, 'g'), (_all = '', day = '') => weekdays[day] ?? ''],
  [/day (?:frueh|morgen|vormittag)\b/g, 'day'],
  [/\bmorgen\b/g, 'tomorrow'],
  [/\btomorrow (?:frueh|vormittag)\b/g, 'tomorrow'],
  [/\b(?:today )?nachmittags?\b/g, 'afternoon'],
  [/\b(?:today )?abends?\b/g, 'evening'],
  [/day afternoon\b/g, 'day 13'],
  [/day evening\b/g, 'day 19'],
  [new RegExp(`\\b${nextWord} week (\\w+day)\\b|\\b(\\w+day) ${nextWord} week\\b`, 'g'), 'next $1$2'],
  [/\bkommende[nrsm]? (?=\w+day)/g, 'this '],
  [new RegExp(`\\b${nextWord}\\b`, 'g'), 'next'],
  [/\bdiese[nrsm]?\b/g, 'this'],
  [/\b(?:maerz|mrz)\b\.?/g, 'march'],
  [/\bokt\w*\b\.?/g, 'oct'],
  [/\bdez\w*\b\.?/g, 'dec'],
  [/\b(\d{1,2})\. (?=[a-z]{3})/g, '$1 '],
];

/**
 * Turns German words for a time into the English words that `readSnooze` knows: `nächsten Montag um 9 Uhr` becomes
 * `next monday 9`.
 */
export function germanTimes(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replace(/\s+/g, ' ')
    .trim();
  // Both overloads of `replace` take the same patterns.
  return expressions
    .reduce((said, [from, to]) => (typeof to === 'string' ? said.replace(from, to) : said.replace(from, to)), plain)
    .trim();
}
