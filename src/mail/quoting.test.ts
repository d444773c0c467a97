import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trimReply } from './quoting.ts';

const REPLY = 'Yes, the blue one please.\n\nKind regards\nEva';
const A = 'Ola Nord <ola@shop.example>';

/** One per client and language; every one must end the reply whether or not quoted lines follow it. */
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

const dividers: Readonly<Record<string, string>> = {
  English: '-----Original Message-----',
  'English, Samsung': '-------- Original message --------',
  'English, Gmail forward': '---------- Forwarded message ---------',
  'English, Apple forward': 'Begin forwarded message:',
  German: '-----Ursprüngliche Nachricht-----',
  'German, web mail': '-------- Ursprüngliche Nachricht --------',
  'German, forward': '-------- Weitergeleitete Nachricht --------',
  'German, Apple forward': 'Anfang der weitergeleiteten Nachricht:',
  French: "-----Message d'origine-----",
  'French, forward': '---------- Message transféré ----------',
  Spanish: '-----Mensaje original-----',
  Portuguese: '-----Mensagem original-----',
  Italian: '-----Messaggio originale-----',
  Dutch: '-----Oorspronkelijk bericht-----',
  Swedish: '-----Ursprungligt meddelande-----',
  Norwegian: '-----Opprinnelig melding-----',
  Danish: '-----Oprindelig meddelelse-----',
  Finnish: '-----Alkuperäinen viesti-----',
  Polish: '-----Wiadomość oryginalna-----',
  Czech: '---------- Původní e-mail ----------',
  Slovak: '-----Pôvodná správa-----',
  Hungarian: '-----Eredeti üzenet-----',
  Romanian: '-----Mesaj original-----',
  Russian: '-----Исходное сообщение-----',
  'Russian, forward': '-------- Пересылаемое сообщение --------',
  Ukrainian: '-------- Оригінальне повідомлення --------',
  Turkish: '-----Özgün İleti-----',
  Greek: '-----Αρχικό μήνυμα-----',
  Chinese: '------------------ 原始邮件 ------------------',
  'Chinese, traditional': '-----原始郵件-----',
  Japanese: '-----元のメッセージ-----',
  Korean: '-----원본 메시지-----',
  Arabic: '-----الرسالة الأصلية-----',
  Hebrew: '-----הודעה מקורית-----',
  Vietnamese: '----- Thư gốc -----',
  'a ticket system': '##- Please type your reply above this line -##',
  'a language not listed': '-------- Ujumbe asilia --------\nDate: 4 Mar 2024',
};

describe('a divider ends the reply', () => {
  test.each(Object.entries(dividers))('%s', (_, line) => {
    expect(trimReply(`${REPLY}\n\n${line}\nWhich one?`).reply).toBe(REPLY);
  });
});

const headerBlocks: Readonly<Record<string, readonly string[]>> = {
  English: ['From', 'Sent', 'To', 'Subject'],
  'English, bold': ['*From', '*Sent', '*To', '*Cc', '*Subject'],
  German: ['Von', 'Gesendet', 'An', 'Cc', 'Betreff'],
  French: ['De ', 'Envoyé ', 'À ', 'Objet '],
  Spanish: ['De', 'Enviado el', 'Para', 'Asunto'],
  Portuguese: ['De', 'Enviada em', 'Para', 'Assunto'],
  Italian: ['Da', 'Inviato', 'A', 'Oggetto'],
  Dutch: ['Van', 'Verzonden', 'Aan', 'Onderwerp'],
  Swedish: ['Från', 'Skickat', 'Till', 'Ämne'],
  Norwegian: ['Fra', 'Sendt', 'Til', 'Emne'],
  Finnish: ['Lähettäjä', 'Lähetetty', 'Vastaanottaja', 'Aihe'],
  Polish: ['Od', 'Wysłano', 'Do', 'Temat'],
  Czech: ['Od', 'Odesláno', 'Komu', 'Předmět'],
  Slovak: ['Od', 'Odoslané', 'Komu', 'Predmet'],
  Hungarian: ['Feladó', 'Elküldve', 'Címzett', 'Tárgy'],
  Romanian: ['De la', 'Trimis', 'Către', 'Subiect'],
  Russian: ['От', 'Отправлено', 'Кому', 'Тема'],
  Ukrainian: ['Від', 'Надіслано', 'Кому', 'Тема'],
  Turkish: ['Kimden', 'Gönderildi', 'Kime', 'Konu'],
  Greek: ['Από', 'Εστάλη', 'Προς', 'Θέμα'],
  Chinese: ['发件人', '发送时间', '收件人', '主题'],
  'Chinese, traditional': ['寄件者', '寄件日期', '收件者', '主旨'],
  Japanese: ['差出人', '送信日時', '宛先', '件名'],
  Korean: ['보낸 사람', '보낸 날짜', '받는 사람', '제목'],
  Arabic: ['من', 'تاريخ الإرسال', 'إلى', 'الموضوع'],
  Hebrew: ['מאת', 'נשלח', 'אל', 'נושא'],
  Vietnamese: ['Từ', 'Đã gửi', 'Đến', 'Chủ đề'],
};

describe('a block of mail headers ends the reply', () => {
  test.each(Object.entries(headerBlocks))('%s', (_, labels) => {
    const colon = labels[0]?.startsWith('*') ? ':*' : ':';
    const values = labels.map((label, index) => `${label}${colon} ${index === 0 ? A : 'Monday, 4 March 2024 09:15'}`);
    expect(trimReply(`${REPLY}\n\n${values.join('\n')}\n\nWhich one?`).reply).toBe(REPLY);
    expect(trimReply(`${REPLY}\n\n${values.join('\n\n')}\n\nWhich one?`).reply).toBe(REPLY);
  });

  test('with a list of recipients wrapped over lines', () => {
    const block = 'From: Ola\nSent: Monday\nTo: a@shop.example; b@shop.example;\n  c@shop.example\nSubject: Lamps';
    expect(trimReply(`${REPLY}\n________________________________\n${block}\n\nWhich?`).reply).toBe(REPLY);
  });

  test('run together on one line', () => {
    expect(trimReply(`${REPLY}\n\nFrom: ${A} Sent: Monday 4 March To: Eva Subject: Lamps Which?`).reply).toBe(REPLY);
  });

  test('but a traveller who names two towns and a day keeps his words', () => {
    const text = 'Please book:\nFrom: Berlin\nTo: Paris\nDate: 3 May 2024\n\nThank you';
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });
});

const sentFrom: readonly string[] = [
  'Sent from my iPhone',
  'Sent from my iPad.',
  'Sent from my Fairphone 5',
  'Sent via the Samsung Galaxy S21, an AT&T 5G smartphone',
  'Get Outlook for iOS<https://aka.ms/o0ukef>',
  'Get [Outlook for Android](https://aka.ms/AAb9ysg)',
  '(sent from my phone, please excuse typos)',
  'Sent with Proton Mail secure email.',
  'Von meinem iPhone gesendet',
  'Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.',
  'Gesendet mit der GMX Mail App',
  'Envoyé de mon iPhone',
  'Envoyé à partir de Outlook pour Android',
  'Enviado desde mi iPhone',
  'Enviado do meu iPhone',
  'Inviato da iPhone',
  'Verstuurd vanaf mijn iPhone',
  'Skickat från min iPhone',
  'Sendt fra min iPhone',
  'Lähetetty iPhonesta',
  "Wysłane z iPhone'a",
  'Odesláno z iPhonu',
  'Odoslané z iPhonu',
  'iPhone-ról küldve',
  'Trimis de pe iPhone-ul meu',
  'Отправлено с iPhone',
  'Отправлено из мобильной Яндекс Почты',
  'Надіслано з iPhone',
  'iPhone’umdan gönderildi',
  'Στάλθηκε από το iPhone μου',
  '发自我的 iPhone',
  '從我的 iPhone 傳送',
  'iPhoneから送信',
  '나의 iPhone에서 보냄',
  'أُرسلت من الـ iPhone',
  '\u200fנשלח מה-iPhone שלי',
  'Đã gửi từ iPhone của tôi',
  'Dikirim dari iPhone saya',
  'ส่งจาก iPhone ของฉัน',
];

describe('the signature of a phone or mail app is left out', () => {
  test.each(sentFrom)('%s', (line) => {
    expect(trimReply(`${REPLY}\n\n${line}\n\nOn 4 Mar 2024, at 09:15, ${A} wrote:\n\n> Which?`).reply).toBe(REPLY);
    expect(trimReply(`${REPLY}\n\n${line}\n`)).toEqual({ reply: REPLY, quoted: line });
  });

  test('and a sentence about sending is not one', () => {
    const text = 'Sent from our warehouse on Monday, the parcel has still not arrived here.';
    expect(trimReply(text).reply).toBe(text);
  });
});

describe('what stays', () => {
  test('answers between the quotes stay with the quotes', () => {
    const { reply } = trimReply(`On 4 Mar 2024, at 09:15, ${A} wrote:\n> Blue?\nYes.\n> Express?\nNo.\n> Ola`);
    expect(reply).toBe('> Blue?\nYes.\n> Express?\nNo.');
  });

  test('a quote without attribution above the answer stays', () => {
    expect(trimReply('> Blue?\n\nYes.').reply).toBe('> Blue?\n\nYes.');
  });

  test('a mail of nothing but a quote is shown whole', () => {
    expect(trimReply('> Blue?\n> Or red?')).toEqual({ reply: '> Blue?\n> Or red?', quoted: null });
  });

  test('a forwarded mail without a word of its own is shown whole', () => {
    const text = `---------- Forwarded message ---------\nFrom: ${A}\nDate: Mon, 4 Mar 2024\nSubject: Lamps\n\nHello`;
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test('fenced code keeps what looks like markers', () => {
    const text = `Look:\n\n\`\`\`\n-----\n> out\nOn 4 Mar 2024, at 09:15, ${A} wrote:\n\`\`\`\n\nOdd?`;
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test('headings underlined or boxed by rules stay', () => {
    const text = 'Order\n=====\nLamp\n\n*****\nTotal\n*****\n5 EUR';
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test('a table drawn with bars stays', () => {
    const text = 'Prices:\n| lamp | 5 |\n| bulb | 1 |\nFine?';
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test.each([
    'On 3 May 2024 I wrote to you:\n\nwhere is my lamp?',
    'On this day\n\nI wrote something\n\nwhich was long.',
    'Please write to: ola@shop.example',
    'The error said:\n\nno such lamp',
    'Am 03.05.2024 schrieb ich Ihnen folgendes:\n\nwo bleibt die Lampe?',
  ])('prose that sounds like an attribution stays: %j', (text) => {
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });
});

describe('what goes', () => {
  test.each(['--', '-- ', '---', '____', '—', '*****', '=====', '–––', '~~~~'])('text under the rule %j', (rule) => {
    expect(trimReply(`${REPLY}\n\n${rule}\nEva Lund\nCarpenter`)).toEqual({
      reply: REPLY,
      quoted: `${rule}\nEva Lund\nCarpenter`,
    });
  });

  test('a trailing quote without attribution', () => {
    expect(trimReply(`${REPLY}\n\n> Which one?\n>> Hello`).reply).toBe(REPLY);
  });

  test('a quote whose long lines a client broke', () => {
    const long = '> a long line of the mail that was answered, which reaches its very';
    expect(trimReply(`${REPLY}\n\n${long}\nend of line\n> Ola`).reply).toBe(REPLY);
  });

  test('an attribution that runs on into its quote', () => {
    expect(trimReply(`${REPLY}\n\nOn 4 Mar 2024 at 09:15, ${A} wrote: Which one? Ola`).reply).toBe(REPLY);
  });

  test('a quote by bars', () => {
    expect(trimReply(`${REPLY}\n\n2024/3/4 ${A}\n\n| Which one?\n| Ola`).reply).toBe(REPLY);
  });

  test('a quote by initials under a line that says who wrote', () => {
    expect(trimReply(`${REPLY}\n\nOla Nord wrote:\nON> Which one?\nON> Ola`).reply).toBe(REPLY);
  });

  test('the armour of a signed mail', () => {
    const text = `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${REPLY}\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----`;
    expect(trimReply(text).reply).toBe(REPLY);
  });
});

describe('for any text', () => {
  const pieces = fc.constantFrom(
    '> q',
    'text',
    '',
    '--',
    `On 4 Mar 2024, ${A} wrote:`,
    'From: x',
    'Sent: y',
    'To: a@b.c',
    'Subject: z',
    '```',
    'Sent from my iPhone',
    '----- Original Message -----',
    '| x',
    '<',
    '> wrote:',
  );
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 }).map((lines) => lines.join('\n')),
  );

  test('every line is in the reply or in the quote, in order, and none is invented', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = text.replace(/\r\n?/g, '\n').split('\n');
        const { reply, quoted } = trimReply(text);
        const full = (part: string | null) => (part ?? '').split('\n').filter((line) => line.trim() !== '');
        const all = lines.filter((line) => line.trim() !== '');
        expect([...full(reply), ...full(quoted)].sort()).toEqual(all.sort());
        if (all.length > 0) expect(reply.trim()).not.toBe('');
      }),
    );
  });

  test.each([
    ['one endless line', 'a'.repeat(1_000_000)],
    ['attributions without end', `${'On 4 Mar 2024, x@y.z <a@b.c '.repeat(36)}\n`.repeat(1_000)],
    ['attributions that never close', 'On 4 Mar 2024 at 10:00 <a@b\n'.repeat(38_000)],
    ['colons', 'On 4 Mar 2024 at 10:00 a:\nb\n\n<\n@\n'.repeat(28_000)],
    ['headers', 'From: x\nTo: y\n'.repeat(70_000)],
    ['fences', '```\n'.repeat(250_000)],
    ['dashes', `${'-'.repeat(249)}x\n`.repeat(4_000)],
    ['spaces', `${' '.repeat(499)}x\n`.repeat(2_000)],
    ['quotes and words', '> a\nb wrote:\n'.repeat(70_000)],
    ['brackets', `${'<('.repeat(190)}:\n`.repeat(2_600)],
    ['armour', '-----BEGIN PGP SIGNATURE-----\n'.repeat(33_000)],
    ['sent from', `${'Sent from my '.repeat(8)}\n`.repeat(9_000)],
  ])('a megabyte of %s is done in well under a second', (_, text) => {
    const start = performance.now();
    trimReply(text);
    expect(performance.now() - start).toBeLessThan(800);
  });
});

const corpus = resolve(process.env.CORPUS_DIR ?? '../shared/corpus', 'replies');

test.skipIf(!existsSync(corpus))(
  'at least 95 % of the corpus of real replies is trimmed as its readers did (skipped without CORPUS_DIR)',
  () => {
    const names = readdirSync(resolve(corpus, 'emails'));
    const words = (text: string) => text.replace(/\s+/g, ' ').trim();
    const missed = names.filter((name) => {
      const read = (folder: string) => readFileSync(resolve(corpus, folder, name), 'utf8');
      return words(trimReply(read('emails')).reply) !== words(read('trimmed'));
    });
    expect(missed.length, missed.join(' ')).toBeLessThanOrEqual(names.length * 0.05);
  },
);
