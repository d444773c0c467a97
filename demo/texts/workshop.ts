import type { Conversation } from '../conversation.ts';

/** Repairs, warranty, usage, and phone calls. */
export const workshop: Conversation[] = [
  {
    daysAgo: 28.6,
    from: { name: 'Hugo Lindqvist', email: 'hugo.lindqvist@brev.example' },
    subject: 'Brake squeals in the rain',
    body:
      'Hi there,\n\nsince last week the front disc squeals whenever it is wet. Dry it is silent. I have cleaned ' +
      'the disc twice. What am I doing wrong?\n\nHugo',
    steps: [
      { hours: 3, by: 'maya', assign: 'maya', tags: ['brakes', 'how-to'] },
      {
        hours: 0.5,
        by: 'maya',
        answer:
          'Hi Hugo,\n\nnothing at all: the pads are glazed. Take a strip of sandpaper to them, two minutes each, ' +
          'then brake hard ten times from walking pace. If it still sings on Friday, come by.\n\nMaya',
      },
      { hours: 50, customer: 'Silence! Thank you.\n\nHugo' },
      { hours: 1, by: 'maya', status: 'closed', reason: 'Solved by the customer' },
      { hours: 200, by: 'tomasz', archive: true },
    ],
  },
  {
    daysAgo: 26.2,
    from: { name: 'Beatrix Lang', email: 'beatrix.lang@brief.example' },
    subject: 'Motor setzt am Berg aus',
    body:
      'Guten Tag,\n\nam Anstieg setzt der Motor nach etwa fünf Minuten aus und kommt erst nach einer Pause ' +
      'wieder. Die Anzeige meldet E21. Gekauft im März, also noch in der Garantie.\n\nBeatrix Lang',
    steps: [
      { hours: 1, by: 'tomasz', assign: 'tomasz', priority: 'high', tags: ['motor', 'warranty', 'deutsch'] },
      {
        hours: 0.5,
        by: 'tomasz',
        note: 'E21 is heat. Same batch as the two from last month. @ines we should write to the maker.',
      },
      {
        hours: 1,
        by: 'tomasz',
        answer:
          'Guten Tag Frau Lang,\n\nE21 heißt, dass der Motor zu warm wird. Wir kennen den Fehler aus dieser ' +
          'Baureihe und tauschen das Steuergerät auf Garantie. Passt Ihnen Donnerstag um neun?\n\n' +
          'Tomasz Zieliński',
      },
      { hours: 20, customer: 'Donnerstag um neun passt. Wie lange dauert es?\n\nBeatrix Lang' },
      { hours: 1, by: 'tomasz', answer: 'Etwa eine Stunde, und der Kaffee geht aufs Haus.\n\nTomasz Zieliński' },
      { hours: 75, by: 'tomasz', note: 'Control unit changed, twenty minutes up the Osterberg without a fault.' },
      { hours: 0.1, by: 'tomasz', status: 'closed', reason: 'Control unit replaced under warranty' },
    ],
  },
  {
    daysAgo: 22.9,
    from: { name: 'Ronan Keane', email: 'ronan.keane@eircom.example' },
    by: 'luc',
    subject: 'Call: crack in the tray of a Lastesel 1',
    body:
      'Mr Keane rang. A crack as long as a hand in the tray of his Lastesel 1, beside the left mount. He carries ' +
      'two children in it, so I told him to leave it parked. He will send pictures.',
    steps: [
      { hours: 0.1, by: 'luc', assign: 'tomasz', priority: 'urgent', tags: ['safety', 'phone'] },
      { hours: 0.1, by: 'luc', note: '@tomasz please look at this first today.' },
      {
        hours: 1,
        by: 'tomasz',
        answer:
          'Dear Mr Keane,\n\nthank you for calling at once. Please do not ride the bike until we have seen it: ' +
          'we collect it tomorrow morning, and bring you one of ours for the meantime.\n\nTomasz Zieliński',
      },
      {
        hours: 30,
        by: 'tomasz',
        note:
          'Not the tray: the mount was fitted without its washer, by another shop. New tray and mount are in ' +
          'stock.',
      },
      { hours: 48, by: 'tomasz', status: 'closed', reason: 'Tray and mount replaced, bike returned' },
    ],
  },
  {
    daysAgo: 19.5,
    from: { name: 'Noémie Garnier', email: 'noemie.garnier@courriel.example' },
    subject: 'Batterie : quelle autonomie en hiver ?',
    body:
      "Bonjour,\n\nmon trajet fait 38 km aller-retour. En été la batterie suffit largement, mais qu'en est-il " +
      'par moins cinq degrés ? Dois-je en prévoir une seconde ?\n\nNoémie Garnier',
    steps: [
      { hours: 5, by: 'luc', assign: 'luc', tags: ['battery', 'how-to', 'français'] },
      {
        hours: 0.4,
        by: 'luc',
        answer:
          'Bonjour,\n\npar grand froid, comptez un tiers de moins : environ 45 km. Votre trajet passe donc, à ' +
          "condition de rentrer la batterie la nuit. Une seconde n'est pas nécessaire.\n\nLuc",
      },
      { hours: 0.1, by: 'luc', status: 'closed', reason: 'Answered' },
    ],
  },
  {
    daysAgo: 16.8,
    from: { name: 'Oliver Pike', email: 'o.pike@post.example' },
    subject: 'Lost the manual',
    body:
      'Hello, I bought a used Stadtesel from 2019 and there was no manual with it. Is there one to download? The ' +
      'display is in Danish, which I do not read.\n\nOliver Pike',
    steps: [
      { hours: 2, by: 'maya', tags: ['how-to', 'manual'] },
      {
        hours: 0.2,
        by: 'maya',
        answer:
          'Hello Oliver,\n\nthe manual is under "Older bikes" on our site. For the language hold the minus ' +
          'button for five seconds and choose the third entry, "Sprog".\n\nEnjoy the ride!\nMaya',
      },
      { hours: 0.1, by: 'maya', status: 'closed', reason: 'Answered' },
      { hours: 150, by: 'maya', archive: true },
    ],
  },
  {
    daysAgo: 14.1,
    from: { name: 'Ingrid Solheim', email: 'ingrid.solheim@epost.example' },
    subject: 'Spørsmål om service',
    body:
      'Hei,\n\nhvor ofte bør en Lastesel på service når den brukes hver dag, også om vinteren? Og tar dere imot ' +
      'sykler uten timeavtale?\n\nHilsen Ingrid Solheim',
    steps: [
      { hours: 8, by: 'tomasz', assign: 'maya', tags: ['service', 'norsk'] },
      {
        hours: 12,
        by: 'maya',
        answer:
          'Hei Ingrid,\n\ntwice a year for a bike that works every day, once in spring and once before the salt ' +
          'comes. Please book a time: without one you may have to wait a day.\n\nHilsen Maya',
      },
      { hours: 0.1, by: 'maya', status: 'pending', reason: 'Offered a date' },
      { hours: 28, customer: 'Takk! Kan jeg komme tirsdag klokka åtte?\n\nIngrid' },
      { hours: 2, by: 'maya', answer: 'Tuesday at eight is yours.\n\nMaya' },
      { hours: 0.1, by: 'maya', status: 'closed', reason: 'Booked' },
    ],
  },
  {
    daysAgo: 10.4,
    from: { name: 'Devi Raman', email: 'devi.raman@inbox.example' },
    subject: 'Display goes dark when I brake',
    body:
      'Hello,\n\nwhenever I pull the rear brake the display goes dark for a second and the trip counter starts ' +
      'again from zero. The light stays on. I have had the bike for five months.\n\nDevi Raman',
    steps: [
      { hours: 2, by: 'maya', assign: 'tomasz', tags: ['display', 'warranty'] },
      {
        hours: 3,
        by: 'tomasz',
        answer:
          'Hello Devi,\n\nthat is the switch in the brake lever: it pulls the line of the display down. Could ' +
          'you tell us the four digits under the lever? Then we have the right one here when you come.\n\n' +
          'Tomasz Zieliński',
      },
      { hours: 0.1, by: 'tomasz', status: 'pending', reason: 'Waiting for the number' },
      {
        hours: 40,
        customer: 'It says 4417. And now the display sometimes stays dark until I switch the bike off and on.\n\nDevi',
      },
      {
        hours: 1,
        by: 'tomasz',
        note: 'Lever 4417 is out of stock until the 14th. @maya do we have one in the rental bikes that we could take?',
      },
    ],
  },
  {
    daysAgo: 8.3,
    from: { name: 'Theo Marchetti', email: 'theo.marchetti@lettera.example' },
    by: 'maya',
    subject: 'Call: child seat for a Stadtesel, model 2021',
    body:
      'Mr Marchetti asks which child seat fits a Stadtesel of 2021 with the short rack. His daughter is two ' +
      'years old. He would like to be rung back after five.',
    steps: [
      { hours: 0.1, by: 'maya', assign: 'luc', tags: ['accessories', 'phone'] },
      { hours: 4, by: 'luc', note: 'Rang him: he takes the Nido with the low bracket. Reserved until Saturday.' },
      { hours: 0.1, by: 'luc', status: 'pending', reason: 'Reserved until Saturday' },
    ],
  },
  {
    daysAgo: 7.2,
    from: { name: 'Fatima Benali', email: 'fatima.benali@courrier.example' },
    subject: 'Pneu arrière usé après 900 km',
    body:
      'Bonjour,\n\nle pneu arrière de ma Lastesel est déjà lisse au milieu après 900 km. Est-ce normal ? La ' +
      'pression est de 2,5 bars, comme indiqué.\n\nFatima Benali',
    steps: [
      { hours: 3, by: 'luc', assign: 'luc', tags: ['tyres', 'français'] },
      {
        hours: 1,
        by: 'luc',
        answer:
          "Bonjour,\n\nnon, il devrait tenir trois fois plus. La pression indiquée l'est par erreur : il faut 4 " +
          'bars avec une charge. Nous vous envoyons un pneu neuf, et nous corrigeons la notice.\n\nLuc',
      },
      { hours: 0.2, by: 'luc', note: '@ines the leaflet says 2.5 bar, it must be 4. Who has the file?' },
      { hours: 0.1, by: 'luc', status: 'pending', reason: 'Tyre sent' },
    ],
  },
  {
    daysAgo: 4.7,
    from: { name: 'Samuel Ortega', email: 'samuel.ortega@correo.example' },
    subject: 'La cadena salta al arrancar',
    body:
      'Buenos días:\n\nAl arrancar con carga, la cadena salta dos o tres veces. La cambié hace un mes en otro ' +
      'taller. ¿Puede ser el piñón?\n\nSamuel Ortega',
    steps: [
      { hours: 6, by: 'tomasz', assign: 'luc', tags: ['drivetrain', 'español'] },
      {
        hours: 2,
        by: 'luc',
        answer:
          'Buenos días:\n\nEs muy probable: una cadena nueva no encaja en un piñón gastado. Tráiganos la ' +
          'bicicleta cualquier mañana y lo medimos en cinco minutos.\n\nLuc',
      },
      { hours: 0.1, by: 'luc', status: 'pending', reason: 'Invited to come by' },
    ],
  },
  {
    daysAgo: 3.1,
    from: { name: 'Beatrix Lang', email: 'beatrix.lang@brief.example' },
    subject: 'Motor: jetzt ein Klackern',
    body:
      'Guten Tag Herr Zieliński,\n\nseit dem Tausch läuft der Motor am Berg tadellos. Bei kaltem Wetter klackert ' +
      'er aber in den ersten Minuten. Muss ich mir Sorgen machen?\n\nBeatrix Lang',
    steps: [
      { hours: 1, by: 'ines', assign: 'tomasz', priority: 'high', tags: ['motor', 'warranty', 'deutsch'] },
      { hours: 0.2, by: 'ines', note: '@tomasz she had E21 last month. Please ring her rather than write.' },
    ],
  },
  {
    daysAgo: 2.2,
    from: { name: 'Lena Kowalczyk', email: 'lena.kowalczyk@poczta.example' },
    subject: 'Jak wyregulować siodełko?',
    body:
      'Dzień dobry,\n\nsiodełko opada podczas jazdy, choć dokręcam zacisk. Czy potrzebuję nowej sztycy?\n\n' +
      'Lena Kowalczyk',
    steps: [
      { hours: 2, by: 'tomasz', tags: ['how-to', 'polski'] },
      {
        hours: 0.3,
        by: 'tomasz',
        answer:
          'Dzień dobry,\n\nnajpierw proszę odtłuścić sztycę i rurę, a potem nałożyć cienką warstwę pasty ' +
          'montażowej. Jeśli to nie pomoże, wymienimy zacisk.\n\nTomasz Zieliński',
      },
      { hours: 0.1, by: 'tomasz', status: 'pending', reason: 'Waiting whether it helps' },
    ],
  },
  {
    daysAgo: 1.9,
    from: { name: 'Ada Fairweather', email: 'ada@fairweather.example' },
    subject: 'Thank you',
    body:
      'Dear Radwerk,\n\nmy bike was stolen, found again and looked dreadful, and you made it look as on the ' +
      'first day in one afternoon. I had not expected that from a bill of forty. Thank you.\n\nAda Fairweather',
    steps: [
      { hours: 1, by: 'maya', tags: ['praise'], priority: 'low' },
      { hours: 0.1, by: 'maya', note: 'Printed it for the workshop wall. @tomasz this is yours.' },
      {
        hours: 0.2,
        by: 'maya',
        answer: 'Dear Ada,\n\nyour letter hangs beside the truing stand now. Safe rides!\n\nMaya',
      },
      { hours: 0.1, by: 'maya', status: 'closed', reason: 'Nothing to do' },
    ],
  },
  {
    daysAgo: 1.1,
    from: { name: 'Hugo Lindqvist', email: 'hugo.lindqvist@brev.example' },
    subject: 'Winter tyres for 20 and 26 inches',
    body:
      'Hi,\n\nwhich tyres with spikes fit the Lastesel, in front and behind? And would you change them before ' +
      'the first frost?\n\nHugo',
    steps: [{ hours: 3, by: 'luc', assign: 'luc', tags: ['tyres', 'service'] }],
  },
  {
    daysAgo: 0.8,
    from: { name: 'Quentin Ashe', email: 'quentin.ashe@post.example' },
    by: 'luc',
    subject: 'Call: rental for a company outing, twelve bikes',
    body:
      'Mr Ashe plans an outing for twelve people at the end of next month and asks for a price for one day, with ' +
      'helmets. He would like it in writing.',
    steps: [{ hours: 0.2, by: 'luc', assign: 'ines', tags: ['business', 'quote', 'phone'] }],
  },
  {
    daysAgo: 0.3,
    from: { name: 'Devi Raman', email: 'devi.raman@inbox.example' },
    subject: 'May I ride with the display dark?',
    body:
      'Hello Tomasz,\n\nuntil the new lever is here: is it safe to ride with the display dark, or does the motor ' +
      'then behave differently?\n\nDevi Raman',
    steps: [{ hours: 0.4, by: 'maya', assign: 'tomasz', priority: 'high', tags: ['display', 'safety'] }],
  },
];
