import { describe, expect, test } from 'vitest';
import { trimReply } from './quoting.ts';

const REPLY = 'Yes, the blue one please.\n\nKind regards\nEva';
const A = 'Ola Nord <ola@shop.example>';

/** One attribution for each client and language. Each must end the reply, with or without quoted lines below. */
const attributions: Readonly<Record<string, string>> = {
  'English, Apple Mail': `On 4 Mar 2024, at 09:15, ${A} wrote:`,
  'English, Gmail': `On Mon, Mar 4, 2024 at 9:15 AM ${A} wrote:`,
  'English, Gmail, wrapped': 'On Mon, Mar 4, 2024 at 9:15 AM Ola Nord of the Big Shop <\nola@shop.example> wrote:',
  'English, wrapped before the verb': `On Mon, Mar 4, 2024 at 9:15 AM, ${A}\nwrote:`,
  'English, wrapped in the date': `On Monday, 4 March 2024 at\n09:15:02 CET, ${A} wrote:`,
  'English, Outlook mobile':
    'On Mon, Mar 4, 2024 at 9:15 AM +0100, "Ola Nord" <ola@shop.example<mailto:ola@shop.example>> wrote:',
  'English, Thunderbird': 'On 04/03/2024 09:15, Ola Nord wrote:',
  'English, Evolution': 'On Mon, 2024-03-04 at 09:15 +0100, Ola Nord wrote:',
  'English, Yahoo': `On Monday, March 4, 2024 at 09:15:02 AM GMT+1, ${A} wrote:`,
  'English, old Yahoo': `--- On Mon, 3/4/24, ${A} wrote:`,
  'English, Zoho': `---- On Mon, 04 Mar 2024 09:15:36 +0530 ${A} wrote ----`,
  'English, on behalf': `On Mon, Mar 4, 2024, Ola Nord on behalf of Shop <shop@shop.example> wrote:`,
  'English, Notes': 'Ola Nord/Shop wrote on 03/04/2024 09:15:00 AM:',
  'English, Gnus': `${A} writes:`,
  'English, escaped brackets': 'On Mon, 4 Mar 2024 09:15:36 +0530 Ola Nord&lt;ola@shop.example&gt; wrote:',
  'English, over three lines': `On Monday, March 4, 2024\nat 9:15 AM, Ola Nord\n<ola@shop.example> wrote:`,
  'English, broken behind the weekday': 'On Monday,\nMarch 4, 2024 at 9:15 AM,\nOla Nord wrote:',
  'English, broken within the date and the name':
    'On Mon, Mar 4,\n2024 at 9:15 AM Ola\nNord <ola@shop.example>\nwrote:',
  'English, of a group with a long name':
    "On Mon, Mar 4, 2024 at 9:15 AM 'Ola Nord' via Support\n" +
    'of the shop of lamps and bulbs in the town of\nExample <ola@shop.example> wrote:',
  'German, over three lines': 'Am Montag, 4. März 2024\num 09:15 Uhr schrieb Ola Nord\n<ola@shop.example>:',
  'ISO date': '2024-03-04 09:15, Ola Nord wrote:',
  'ISO date and time': `2024-03-04T09:15:02+01:00 ${A} wrote:`,
  'ISO date, over three lines': '2024-03-04 at 09:15 UTC+1\nOla Nord of the Shop\n<ola@shop.example> wrote:',
  'no verb, old Gmail': `2024-03-04 9:15 GMT+01:00 ${A}:`,
  'German, Apple Mail': `Am 04.03.2024 um 09:15 schrieb ${A}:`,
  'German, Gmail': 'Ola Nord <ola@shop.example> schrieb am Mo., 4.\nMärz 2024 um 09:15 Uhr:',
  'German, Thunderbird': 'Am 04.03.24 um 09:15 schrieb Ola Nord:',
  'German, Evolution': 'Am Montag, den 04.03.2024, 09:15 +0100 schrieb Ola Nord:',
  'German, Android': 'Am 04.03.2024 09:15 schrieb "Ola Nord" <ola@shop.example\n>:',
  'French, Apple Mail': `Le 4 mars 2024 à 09:15, ${A} a écrit :`,
  'French, Gmail, wrapped': `Le lun. 4 mars 2024 à 09:15, ${A} a\nécrit :`,
  'French, Thunderbird': 'Le 04/03/2024 à 09:15, Ola Nord a écrit\u00a0:',
  'Spanish, Apple Mail': `El 4 mar 2024, a las 9:15, ${A} escribió:`,
  'Spanish, Gmail': `El lun, 4 mar 2024 a las 9:15, Ola Nord (<ola@shop.example>) escribió:`,
  'Portuguese, Gmail': `Em seg., 4 de mar. de 2024 às 09:15, ${A} escreveu:`,
  'Portuguese, Thunderbird': 'Às 09:15 de 04/03/2024, Ola Nord escreveu:',
  'Italian, Gmail': `Il giorno lun 4 mar 2024 alle ore 09:15 ${A} ha\nscritto:`,
  'Italian, Thunderbird': 'Il 04/03/2024 09:15, Ola Nord ha scritto:',
  'Dutch, Apple Mail': `Op 4 mrt. 2024, om 09:15 heeft ${A} het volgende geschreven:`,
  'Dutch, Gmail': `Op ma 4 mrt 2024 om 09:15 schreef ${A}:`,
  'Swedish, Apple Mail': `4 mars 2024 kl. 09:15 skrev ${A}:`,
  'Swedish, Gmail': `Den mån 4 mars 2024 kl 09:15 skrev ${A}:`,
  'Norwegian, Gmail': `man. 4. mars 2024 kl. 09:15 skrev ${A}:`,
  'Danish, Gmail': `Den man. 4. mar. 2024 kl. 09.15 skrev ${A}:`,
  'Icelandic, Gmail': `Þann mán., 4. mar. 2024 kl. 09:15 skrifaði ${A}:`,
  'Finnish, Apple Mail': `${A} kirjoitti 4.3.2024 kello 9.15:`,
  'Finnish, Gmail': 'ma 4. maalisk. 2024 klo 9.15 Ola Nord (ola@shop.example) kirjoitti:',
  'Estonian, Gmail': 'Kontakt Ola Nord (<ola@shop.example>) kirjutas kuupäeval E, 4. märts 2024 kell 09:15:',
  'Latvian, Gmail': 'pirmd., 2024. g. 4. marts, plkst. 09:15 — lietotājs Ola Nord (<ola@shop.example>) rakstīja:',
  'Lithuanian, Gmail': `2024-03-04, pr, 09:15 ${A} rašė:`,
  'Polish, Gmail': `pon., 4 mar 2024 o 09:15 ${A} napisał(a):`,
  'Polish, Thunderbird': 'W dniu 4.03.2024 o 09:15, Ola Nord pisze:',
  'Polish, Apple Mail': `Wiadomość napisana przez ${A} w dniu 4 mar 2024, o godz. 09:15:`,
  'Czech, Gmail': `po 4. 3. 2024 v 9:15 odesílatel ${A} napsal:`,
  'Czech, Apple Mail': `4. 3. 2024 v 9:15, ${A}:`,
  'Czech, Thunderbird': 'Dne 04. 03. 24 v 9:15 Ola Nord napsal(a):',
  'Slovak, Gmail': `po 4. 3. 2024 o 9:15 ${A} napísal(a):`,
  'Slovenian, Gmail': `V V pon., 4. mar. 2024 ob 09:15 je oseba ${A} napisala:`,
  'Croatian, Gmail': `pon, 4. ožu 2024. u 09:15 ${A} napisao/la je:`,
  'Serbian, Gmail': `пон, 4. мар 2024. у 09:15 ${A} је написао/ла:`,
  'Hungarian, Gmail': `${A} ezt írta (időpont: 2024. márc. 4., H, 9:15):`,
  'Hungarian, Thunderbird': '2024. 03. 04. 9:15 keltezéssel, Ola Nord írta:',
  'Romanian, Gmail': `În lun., 4 mar. 2024 la 09:15, ${A} a scris:`,
  'Bulgarian, Gmail': `На пн, 4.03.2024 г. в 9:15 ${A} написа:`,
  'Russian, Gmail, no verb': `пн, 4 мар. 2024 г. в 09:15, ${A}:`,
  'Russian, Apple Mail': `4 марта 2024 г., в 09:15, ${A} написал(а):`,
  'Russian, Mail.ru': `Понедельник, 4 марта 2024, 9:15 +03:00 от ${A}:`,
  'Russian, Yandex': '04.03.2024, 09:15, "Ola Nord" <ola@shop.example>:',
  'Ukrainian, Gmail': `пн, 4 бер. 2024 р. о 09:15 ${A} пише:`,
  'Turkish, Gmail': `${A}, 4 Mar 2024 Pzt, 09:15 tarihinde şunu yazdı:`,
  'Turkish, Apple Mail': `${A} şunları yazdı (4 Mar 2024 09:15):`,
  'Greek, Gmail': `Στις Δευ 4 Μαρ 2024 στις 9:15 π.μ., ο χρήστης ${A} έγραψε:`,
  'Chinese, Apple Mail': `在 2024年3月4日，09:15，${A} 写道：`,
  'Chinese, Gmail': `${A} 于2024年3月4日周一 09:15写道：`,
  'Chinese, traditional, Gmail': `${A} 於 2024年3月4日 週一 上午9:15寫道：`,
  'Japanese, Gmail': `2024年3月4日(月) 9:15 ${A}:`,
  'Japanese, Apple Mail': `2024/03/04 9:15、${A}のメール:`,
  'Korean, Gmail': `2024년 3월 4일 (월) 오전 9:15, ${A}님이 작성:`,
  'Korean, Apple Mail': `2024. 3. 4. 09:15, ${A} 작성:`,
  'Arabic, Gmail': `\u202bفي الاثنين، 4 مارس 2024 في 9:15 ص تمت كتابة ما يلي بواسطة \u202a${A}\u202c:`,
  'Arabic, Apple Mail': `في ٤ مارس ٢٠٢٤، الساعة ٩:١٥ ص، كتب ${A}:`,
  'Hebrew, Gmail': `\u202bבתאריך יום ב׳, 4 במרץ 2024 ב-9:15 מאת \u202a${A}\u202c\u200f:\u202c`,
  'Persian, Gmail': `در تاریخ دوشنبه ۴ مارس ۲۰۲۴،‏ ۹:۱۵ ${A} نوشت:`,
  'Vietnamese, Gmail': `Vào 09:15, Th 2, 4 thg 3, 2024 ${A} đã viết:`,
  'Indonesian, Gmail': `Pada tanggal Sen, 4 Mar 2024 09.15, ${A} menulis:`,
  'Thai, Gmail': `เมื่อ จ. 4 มี.ค. 2024 09:15 ${A} เขียนว่า:`,
  'Hindi, Gmail': `सोम, 4 मार्च 2024 को 9:15 पर ${A} ने लिखा:`,
  'Catalan, Gmail': `Missatge de ${A} del dia dl., 4 de març 2024 a les 9:15:`,
  'Afrikaans, Gmail': `${A} het op Ma. 4 Mrt. 2024 geskryf:`,
};

describe('an attribution line ends the reply', () => {
  test.each(Object.entries(attributions))('%s', (_, line) => {
    expect(trimReply(`${REPLY}\n\n${line}\n\n> Which one?\n>\n> Ola`).reply).toBe(REPLY);
    expect(trimReply(`${REPLY}\n\n${line}\n\nWhich one?\n\nOla`).reply).toBe(REPLY);
    expect(trimReply(`${line}\n> Which one?\n> Ola\n\n${REPLY}`).reply).toBe(REPLY);
  });
});

test.each(['2024-03-04 09:15 Ola Nord:', '2024-03-04, Ola Nord:', '2024/03/04 09:15 +0100 Ola Nord:'])(
  'an ISO date with a name, above quoted lines, ends the reply: %s',
  (line) => {
    expect(trimReply(`${REPLY}\n\n${line}\n> Which one?`).reply).toBe(REPLY);
  },
);

test('an ISO date with a name is the author’s own text when no quote follows', () => {
  const text = 'Dates that suit us:\n\n2024-03-04 Ola Nord:\n\nin the morning';
  expect(trimReply(text).reply).toBe(text);
});
