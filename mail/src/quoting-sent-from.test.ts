import { describe, expect, test } from 'vitest';
import { trimReply } from './quoting/quoting.ts';

const REPLY = 'Yes, the blue one please.\n\nKind regards\nEva';
const A = 'Ola Nord <ola@shop.example>';

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
  'Sent on the go',
  'Typed with thumbs on my phone.',
  'Get BlueMail for Android',
  'Sent with Newton\n( https://mail.example/app )',
  'Sent from my iPad\nPlease forgive brevity and typos.',
  'Enviado desde mi dispositivo Android con K-9 Mail. Disculpa mi brevedad.',
  'Envoyé de mon appareil Android avec Courriel K-9 Mail. Veuillez excuser ma brièveté.',
  'Outlook für Android beziehen',
  "Samsung Galaxy'den gönderildi",
  "iOS için Outlook'u edinin",
  'Nire iPhonetik bidalia',
  '发自我的华为手机',
  '私のiPadから送信',
];

describe('the signature of a phone or mail app is left out', () => {
  test.each(sentFrom)('%s', (line) => {
    expect(trimReply(`${REPLY}\n\n${line}\n\nOn 4 Mar 2024, at 09:15, ${A} wrote:\n\n> Which?`).reply).toBe(REPLY);
    expect(trimReply(`${REPLY}\n\n${line}\n`)).toEqual({ reply: REPLY, quoted: line });
  });

  test.each([
    'Sent from our warehouse on Monday, the parcel has still not arrived here.',
    'I cannot log in from my phone.',
    'The mail sent from my iPhone never arrives.',
    'Das Handy wurde am Montag verschickt.',
    'Outlook für iOS stürzt ab, wenn ich eine Mail öffne.',
    'De telefoon is verstuurd.',
    '邮件没有发送',
    'Sent by mail yesterday.\nPlease tell me when it is there.',
    'Written on my phone yesterday: it crashed.',
  ])('and a sentence about sending is not one: %j', (sentence) => {
    const text = `Hello,\n\n${sentence}`;
    expect(trimReply(text)).toEqual({ reply: text, quoted: null });
  });
});
