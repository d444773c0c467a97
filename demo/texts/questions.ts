import type { Conversation } from '../conversation.ts';

/** Questions before a purchase, and mail that has nothing to do with bikes. */
export const questions: Conversation[] = [
  {
    daysAgo: 24.3,
    from: { name: 'Giulia Ferraro', email: 'giulia.ferraro@posta.example' },
    subject: 'Prova su strada',
    body:
      'Buongiorno,\n\nè possibile provare la Lastesel prima di ordinarla? Passo dalle vostre parti il 12 con mio ' +
      'marito.\n\nGiulia Ferraro',
    steps: [
      { hours: 3, by: 'luc', assign: 'luc', tags: ['test ride', 'italiano'] },
      {
        hours: 0.5,
        by: 'luc',
        answer:
          'Buongiorno Giulia,\n\ncerto: il 12 abbiamo due biciclette pronte dalle dieci. Portate un documento, ' +
          'il casco lo mettiamo noi.\n\nLuc',
      },
      { hours: 0.1, by: 'luc', status: 'closed', reason: 'Booked' },
    ],
  },
  {
    daysAgo: 20.6,
    from: { name: 'Sanne de Wit', email: 'sanne@dewit.example' },
    subject: 'Past een Lastesel door een deur van 80 cm?',
    body:
      'Hallo,\n\nonze schuurdeur is 80 cm breed. Komt de Lastesel daar met het lange bakje doorheen?\n\n' +
      'Groeten, Sanne',
    steps: [
      { hours: 1, by: 'maya', tags: ['before buying', 'nederlands'] },
      {
        hours: 0.2,
        by: 'maya',
        answer: 'Hallo Sanne,\n\njust about: the handlebar is 74 cm wide, the tray 68.\n\nMaya',
      },
      { hours: 14, customer: 'Top, dan bestel ik hem.\n\nSanne' },
      { hours: 1, by: 'maya', status: 'closed', reason: 'Answered' },
    ],
  },
  {
    daysAgo: 17.5,
    from: { name: 'SEO Champions', email: 'growth@seo-champions.example' },
    subject: 'First page in thirty days, guaranteed',
    body: 'Dear Webmaster,\n\nwe have looked at your site and found 214 errors. Shall we fix them?\n\nSEO Champions',
    steps: [
      { hours: 0.5, by: 'tomasz', tags: ['spam'], priority: 'low' },
      { hours: 0.1, by: 'tomasz', status: 'closed', reason: 'Advertising' },
      { hours: 0.1, by: 'tomasz', archive: true },
    ],
  },
  {
    daysAgo: 13.3,
    from: { name: 'Rui Teixeira', email: 'rui.teixeira@correio.example' },
    subject: 'Qual é o peso máximo?',
    body:
      'Bom dia,\n\nqual é o peso máximo que a Lastesel leva, com o condutor? Transporto máquinas de café.\n\n' +
      'Rui Teixeira',
    steps: [
      { hours: 6, by: 'luc', assign: 'luc', tags: ['before buying', 'português'] },
      {
        hours: 0.3,
        by: 'luc',
        answer: 'Bom dia,\n\nsão 200 kg no total, dos quais 110 na caixa. Que peso têm as máquinas?\n\nLuc',
      },
      { hours: 0.1, by: 'luc', status: 'pending', reason: 'Asked for the weight' },
    ],
  },
  {
    daysAgo: 11.5,
    from: { name: 'Hannah Berg', email: 'hannah.berg@schule.example' },
    subject: 'Schulprojekt: dürfen wir die Werkstatt besuchen?',
    body:
      'Sehr geehrtes Team,\n\nmeine achte Klasse baut ein Lastenrad aus Holz. Dürften wir mit 24 Kindern eine ' +
      'Stunde in Ihre Werkstatt schauen?\n\nHannah Berg',
    steps: [
      { hours: 2, by: 'ines', assign: 'ines', tags: ['visit', 'deutsch'] },
      { hours: 0.1, by: 'ines', note: '@tomasz could you bear 24 children for an hour? In two groups?' },
      { hours: 4, by: 'tomasz', note: 'In two groups, on a Wednesday, and they all get gloves.' },
      {
        hours: 1,
        by: 'ines',
        answer:
          'Liebe Frau Berg,\n\ngern, am liebsten an einem Mittwoch in zwei Gruppen zu je zwölf. Welcher Mittwoch ' +
          'passt Ihnen?\n\nInes Albrecht',
      },
      { hours: 0.1, by: 'ines', status: 'pending', reason: 'Waiting for a date' },
    ],
  },
  {
    daysAgo: 5.9,
    from: { name: 'Emre Aydın', email: 'emre.aydin@posta.example' },
    subject: 'İkinci el bisiklet alıyor musunuz?',
    body: 'Merhaba,\n\n2020 model bir Stadtesel satmak istiyorum. Takas yapıyor musunuz?\n\nEmre Aydın',
    steps: [{ hours: 9, by: 'maya', tags: ['trade-in', 'türkçe'] }],
  },
  {
    daysAgo: 2.5,
    from: { name: 'Radio Hafenwelle', email: 'redaktion@hafenwelle.example' },
    subject: 'Interview on cargo bikes in the old town',
    body:
      'Hello,\n\nwe plan half an hour on deliveries by bike and would like to hear one of you, live, on the 28th ' +
      'at eight in the morning. Who would that be?\n\nThe morning team',
    steps: [
      { hours: 1, by: 'maya', assign: 'ines', tags: ['press'], priority: 'high' },
      { hours: 0.1, by: 'maya', note: '@ines you or @tomasz? He says he has no voice before nine.' },
    ],
  },
  {
    daysAgo: 0.6,
    from: { name: 'Nils Abrahamsen', email: 'nils@abrahamsen.example' },
    subject: 'Colour chart',
    body: 'Hi,\n\nis the green of the Stadtesel the same as last year? I would like a second one that matches.\n\nNils',
    steps: [{ hours: 2, by: 'luc', tags: ['before buying'] }],
  },
];
