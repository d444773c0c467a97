import { describe, expect, test } from 'vitest';
import { trimReply } from './quoting.ts';

const REPLY = 'Yes, the blue one please.\n\nKind regards\nEva';
const A = 'Ola Nord <ola@shop.example>';

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
  Catalan: ['De', 'Enviat el', 'Per a', 'Tema'],
  Basque: ['Nork', 'Bidalia', 'Nori', 'Gaia'],
  Malay: ['Daripada', 'Dihantar', 'Kepada', 'Subjek'],
  Hindi: ['प्रेषक', 'भेजा गया', 'प्रति', 'विषय'],
  'two languages at once': ['Von/From', 'Gesendet/Sent', 'An/To', 'Betreff/Subject'],
  'of a meeting': ['From', 'When', 'Subject', 'Location'],
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

  test('in an unlisted language', () => {
    const block = `Kutoka: ${A}\nImetumwa: Jumatatu, 4 Machi 2024 09:15\nKwa: Eva\nMada: Taa`;
    expect(trimReply(`${REPLY}\n\n${block}\n\nIpi?`).reply).toBe(REPLY);
  });

  test('with only a sender and a date, or under a divider without dashes', () => {
    const pair = `From: ${A}\nDate: Monday, 4 March 2024 at 09:15`;
    expect(trimReply(`${REPLY}\n\n${pair}\n\nWhich?`).reply).toBe(REPLY);
    expect(trimReply(`${REPLY}\n\n  Original Message\n${pair}\nSubject: Lamps\n\nWhich?`).reply).toBe(REPLY);
  });

  test.each([
    'Please book:\n\nNo: 1234\nDate: 3 May 2024\nTo: Warehouse\nSubject: Lamps',
    'Please call:\n\nContact: Ola <ola@shop.example>\nPhone: 030 1234\nSince: 3 May 2024 10:30\nCity: Bonn',
  ])('but not a form the writer filled in: %j', (text) => {
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test('joined on one line', () => {
    expect(trimReply(`${REPLY}\n\nFrom: ${A} Sent: Monday 4 March To: Eva Subject: Lamps Which?`).reply).toBe(REPLY);
  });

  test('but a traveller’s two towns and a day stay', () => {
    const text = 'Please book:\nFrom: Berlin\nTo: Paris\nDate: 3 May 2024\n\nThank you';
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
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

  test('a mail that is only a quote is shown whole', () => {
    expect(trimReply('> Blue?\n> Or red?')).toEqual({ reply: '> Blue?\n> Or red?', quoted: null });
  });

  test('a forwarded mail without own text is shown whole', () => {
    const text = `---------- Forwarded message ---------\nFrom: ${A}\nDate: Mon, 4 Mar 2024\nSubject: Lamps\n\nHello`;
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test('fenced code keeps lines that look like markers', () => {
    const tildes = '~~~\n-----\n~~~';
    const backticks = `\`\`\`\n-----\n> out\nOn 4 Mar 2024, at 09:15, ${A} wrote:\n\`\`\``;
    const text = `Look:\n\n${tildes}\n\n${backticks}\n\nOdd?`;
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test.each([
    ['', '\n\nIs that right?'],
    ['\n----------------------------', '\nIs that right?'],
    ['\n----------------------------', ''],
  ])('a table below a long ruled line stays: %j %j', (closing, tail) => {
    const table = `We ordered:\n\n----------------------------\nlamp      5 EUR\nbulb      1 EUR${closing}${tail}`;
    expect(trimReply(table)).toEqual({ reply: table, quoted: null });
  });

  test('sentences that end with a date and a name stay above the attribution', () => {
    const text =
      'On 4 March 2024 we bought a lamp and\nit broke. As our shop assistant\nOla Nord <ola@shop.example> wrote:';
    expect(trimReply(`${text}\n> Bring it back.\n\nWhen?`).reply).toContain('On 4 March 2024 we bought a lamp and');
  });

  test('headings underlined or boxed by rules stay', () => {
    const text = 'Order\n=====\nLamp\n\nGoods:\n-----\n\nBulb\n\n*****\nTotal\n*****\n5 EUR';
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });

  test.each([
    'Your page says:\n\n> no refunds\n\nIs that so?',
    'He said:\n> never again\nIs that so?',
    'As Ola wrote on 4 March 2024:\n\nno refunds.',
    'The customer (ola@shop.example) wrote:\n\nno refunds.',
    'El 3 de mayo de 2024 su colega me escribió:\n\nque no.',
  ])('what the writer himself quotes stays with his words: %j', (text) => {
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
  test.each(['-', '--', '-- ', '---', '____', '—', '*****', '=====', '–––', '~~~~'])(
    'text under the rule %j',
    (rule) => {
      expect(trimReply(`${REPLY}\n\n${rule}\nEva Lund\nCarpenter`)).toEqual({
        reply: REPLY,
        quoted: `${rule}\nEva Lund\nCarpenter`,
      });
    },
  );

  test('a trailing quote without attribution', () => {
    expect(trimReply(`${REPLY}\n\n> Which one?\n>> Hello`).reply).toBe(REPLY);
  });

  test('a quote whose long lines a client wrapped', () => {
    const long = '> a long line of the mail that was answered, which reaches its very';
    expect(trimReply(`${REPLY}\n\n${long}\nend of line\n> Ola`).reply).toBe(REPLY);
  });

  test('an attribution on two lines that is quoted with its mail, above the answer', () => {
    const quoted = '> On 4 Mar 2024, at 09:15, Ola Nord\n> <ola@shop.example> wrote:\n>\n> Which one?';
    expect(trimReply(`${quoted}\n\n${REPLY}`)).toEqual({ reply: REPLY, quoted });
  });

  test('an attribution on one line with its quote', () => {
    expect(trimReply(`${REPLY}\n\nOn 4 Mar 2024 at 09:15, ${A} wrote: Which one? Ola`).reply).toBe(REPLY);
  });

  test('a quote marked with bars', () => {
    expect(trimReply(`${REPLY}\n\n2024/3/4 ${A}\n\n| Which one?\n| Ola`).reply).toBe(REPLY);
  });

  test('a quote marked with initials under an attribution', () => {
    expect(trimReply(`${REPLY}\n\nOla Nord wrote:\nON> Which one?\nON> Ola`).reply).toBe(REPLY);
  });

  test.each([
    ['of Proton Mail', '‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐\nWhich?'],
    ['of GroupWise', `>>> ${A} 4/3/2024 9:15 AM >>>\nWhich?`],
    ['of Outlook Express in newsgroups', `${A} wrote in message\nnews:9a1b2c$3d4@news.example...\n> Which?`],
    ['with a disclaimer below a long ruled line', '____________________\nThis mail is confidential.'],
    ['with a quote below a long ruled line', '____________________\n\nOn 4 Mar 2024, Ola Nord wrote:\n> Which?'],
    ['with a disclaimer in a box', '**********\nConfidential and\nprivileged.\n**********'],
  ])('the mark %s', (_, tail) => {
    expect(trimReply(`${REPLY}\n\n${tail}`).reply).toBe(REPLY);
  });

  test('an attribution that is quoted itself, above the answer', () => {
    expect(trimReply(`> On 4 Mar 2024, at 09:15, ${A} wrote:\n>\n> Which?\n\n${REPLY}`).reply).toBe(REPLY);
  });

  test('the armour of a signed mail', () => {
    const text =
      `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${REPLY}\n` +
      '-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----';
    expect(trimReply(text).reply).toBe(REPLY);
  });
});
