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
