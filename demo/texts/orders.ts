import type { Conversation } from '../conversation.ts';

/** Orders, deliveries, invoices. */
export const orders: Conversation[] = [
  {
    daysAgo: 27.4,
    from: { name: 'Eleanor Whitby', email: 'eleanor.whitby@post.example' },
    subject: 'Where is my cargo bike?',
    body:
      'Hello,\n\nI ordered the Lastesel 2 on the third and was told two weeks. It has been nearly three now and ' +
      'the order page still says "being built". Should I be worried?\n\nOrder 48113\n\nEleanor',
    steps: [
      { hours: 1, by: 'tomasz', assign: 'maya', tags: ['delivery'] },
      {
        hours: 1.5,
        by: 'maya',
        note:
          'The frame came back from painting on Tuesday with a scratch and went in again. @tomasz do we have a ' +
          'new date?',
      },
      { hours: 3, by: 'tomasz', note: 'Friday, they promised it in writing. Offer her the rain cover for the wait.' },
      {
        hours: 0.5,
        by: 'maya',
        answer:
          'Dear Eleanor,\n\nno need to worry: your frame had a scratch when it came back from the painter, and ' +
          'we sent it in again rather than hand you a flawed one. It will be here on Friday and your bike ships ' +
          'on Monday.\n\nFor the wait we add the rain cover at no cost.\n\nMaya',
      },
      { hours: 0.2, by: 'maya', status: 'pending', reason: 'Waiting for the frame' },
      { hours: 19, customer: 'That is very kind, and Monday suits me well. Thank you, Maya!\n\nEleanor' },
      {
        hours: 96,
        by: 'maya',
        answer: 'It left the house this morning. Your parcel service will ring you for a time.\n\nMaya',
      },
      { hours: 0.1, by: 'maya', status: 'closed', reason: 'Shipped' },
    ],
  },
  {
    daysAgo: 25.1,
    from: { name: 'Jürgen Pohl', email: 'j.pohl@werkstatt-pohl.example' },
    subject: 'Rechnung 2291: falsche Anschrift',
    body:
      'Guten Tag,\n\nauf der Rechnung 2291 steht noch unsere alte Anschrift. Das Finanzamt nimmt sie so nicht ' +
      'an. Bitte senden Sie uns eine berichtigte Fassung an:\n\n' +
      'Werkstatt Pohl, Am Güterbahnhof 4, 26122 Oldenburg\n\nMit freundlichen Grüßen\nJürgen Pohl',
    steps: [
      { hours: 2, by: 'ines', assign: 'ines', tags: ['invoice', 'deutsch'] },
      {
        hours: 1,
        by: 'ines',
        answer:
          'Guten Tag Herr Pohl,\n\ndie berichtigte Rechnung liegt in Ihrem Kundenkonto, mit der neuen Anschrift ' +
          'und demselben Datum. Die alte ist storniert.\n\nFreundliche Grüße\nInes Albrecht',
      },
      { hours: 0.1, by: 'ines', status: 'closed', reason: 'Corrected invoice issued' },
      { hours: 160, by: 'ines', archive: true },
    ],
  },
  {
    daysAgo: 21.7,
    from: { name: 'Claire Dumas', email: 'claire.dumas@courriel.example' },
    subject: 'Annuler ma commande 48200',
    body:
      'Bonjour,\n\nje souhaite annuler la commande 48200 passée hier soir : je me suis trompée de taille. ' +
      "Puis-je la remplacer par un cadre M sans payer deux fois les frais de port ?\n\nMerci d'avance,\n" +
      'Claire Dumas',
    steps: [
      { hours: 0.7, by: 'tomasz', assign: 'luc', tags: ['order change', 'français'] },
      {
        hours: 0.5,
        by: 'luc',
        answer:
          "Bonjour Madame Dumas,\n\nrien n'était encore parti : j'ai changé la taille dans votre commande, il " +
          "n'y a donc rien à payer de plus. Vous recevrez la confirmation dans quelques minutes.\n\n" +
          'Bien à vous,\nLuc',
      },
      { hours: 2, customer: 'Parfait, merci beaucoup pour votre rapidité !\n\nClaire' },
      { hours: 0.4, by: 'luc', status: 'closed', reason: 'Size changed' },
    ],
  },
  {
    daysAgo: 18.3,
    from: { name: 'Sofía Herrera', email: 'sofia.herrera@correo.example' },
    subject: '¿Hacen envíos a las Islas Canarias?',
    body:
      'Hola:\n\n¿Envían bicicletas a Tenerife? ¿Y cuánto costaría el transporte de una Lastesel? No encuentro ' +
      'nada en la página.\n\nUn saludo,\nSofía Herrera',
    steps: [
      { hours: 4, by: 'luc', assign: 'luc', tags: ['delivery', 'español'] },
      {
        hours: 0.5,
        by: 'luc',
        note: 'The carrier asks 240 for the islands, customs papers extra. @ines may I offer it?',
      },
      { hours: 5, by: 'ines', note: 'Yes, at cost. Please say that customs take a week.' },
      {
        hours: 0.5,
        by: 'luc',
        answer:
          'Hola, Sofía:\n\nSí, enviamos a Tenerife. El transporte cuesta 240 € y la aduana suele tardar una ' +
          'semana. ¿Quiere que le preparemos un presupuesto?\n\nUn saludo,\nLuc',
      },
      { hours: 0.1, by: 'luc', status: 'pending', reason: 'Waiting for her answer' },
    ],
  },
  {
    daysAgo: 12.2,
    from: { name: 'Accounts Payable, Northgate Council', email: 'payables@northgate.example' },
    subject: 'Purchase order PO-7719: four Lastesel 2 for the parks team',
    body:
      'Dear Radwerk,\n\nplease find our purchase order for four Lastesel 2 with the long tray. We need them ' +
      'before the season opens, and three of them must have the low step.\n\n' +
      'Please confirm price and delivery date, and tell us whether you can invoice at sixty days.\n\n' +
      'Northgate Council, Accounts Payable',
    steps: [
      { hours: 0.5, by: 'tomasz', assign: 'ines', priority: 'high', tags: ['business', 'quote'] },
      {
        hours: 0.3,
        by: 'tomasz',
        note: 'Sixty days is your decision, @ines. The workshop can do four by the end of the month.',
      },
      {
        hours: 6,
        by: 'ines',
        answer:
          'Dear colleagues,\n\nthank you for the order. Four Lastesel 2, three of them with the low step, will ' +
          'be ready by the end of the month at the price of our list less eight percent. We can invoice at ' +
          'forty-five days.\n\nMay we go ahead?\n\nInes Albrecht',
      },
      { hours: 30, customer: 'Forty-five days is fine. Please go ahead.\n\nNorthgate Council' },
      { hours: 1, by: 'ines', note: 'Order is in the books as 48342. @maya please keep an eye on the low steps.' },
      { hours: 0.2, by: 'ines', assign: 'maya' },
    ],
  },
  {
    daysAgo: 9.6,
    from: { name: 'Piotr Wójcik', email: 'piotr.wojcik@poczta.example' },
    subject: 'Uszkodzone opakowanie',
    body:
      'Dzień dobry,\n\nkurier przywiózł dziś paczkę z bagażnikiem. Karton jest rozdarty i brakuje dwóch śrub. ' +
      'Sam bagażnik wygląda na cały. Czy możecie dosłać śruby?\n\nPozdrawiam\nPiotr Wójcik',
    steps: [
      { hours: 1, by: 'tomasz', assign: 'tomasz', tags: ['delivery', 'spare part', 'polski'] },
      {
        hours: 0.4,
        by: 'tomasz',
        answer:
          'Dzień dobry,\n\nprzepraszamy za kłopot. Śruby wysyłamy dziś listem, powinny dotrzeć pojutrze. Gdyby ' +
          'bagażnik jednak miał ślady, proszę o zdjęcie.\n\nPozdrawiam\nTomasz Zieliński',
      },
      { hours: 52, customer: 'Śruby dotarły, wszystko pasuje. Dziękuję!\n\nPiotr' },
      { hours: 0.5, by: 'tomasz', status: 'closed', reason: 'Screws arrived' },
    ],
  },
  {
    daysAgo: 6.5,
    from: { name: 'Grace Liddell', email: 'grace@liddell.example' },
    subject: 'Charged twice for order 48377',
    body:
      'Hi,\n\nmy bank shows two payments of 189.00 for the same panniers, a minute apart. The shop had shown me ' +
      'an error after the first try. Please send one of them back.\n\nGrace',
    steps: [
      { hours: 0.2, by: 'maya', assign: 'ines', priority: 'urgent', tags: ['payment', 'refund'] },
      {
        hours: 0.1,
        by: 'maya',
        note:
          'Third one this week with the same error page. @ines @tomasz this looks like the shop and not the ' +
          'customers.',
      },
      {
        hours: 2,
        by: 'ines',
        answer:
          'Dear Grace,\n\nyou are right, and I am sorry. The second payment is on its way back; banks take two ' +
          'to four days to show it.\n\nInes Albrecht',
      },
      { hours: 0.2, by: 'ines', status: 'pending', reason: 'Refund under way' },
      { hours: 70, customer: 'It has arrived. Thanks for being quick about it.\n\nGrace' },
      { hours: 3, by: 'ines', status: 'closed', reason: 'Refunded' },
    ],
  },
  {
    daysAgo: 5.2,
    from: { name: 'Marek Dvořák', email: 'marek.dvorak@schranka.example' },
    subject: 'Can I collect order 48391 in person?',
    body:
      'Hello,\n\nI am in town on Saturday and could save you the shipping. Are you open, and may I try the ' +
      'saddle before I take it?\n\nMarek Dvořák',
    steps: [
      { hours: 3, by: 'luc', assign: 'luc', tags: ['pickup'] },
      {
        hours: 0.3,
        by: 'luc',
        answer:
          'Hello Marek,\n\nyes, from ten to two, at the yard behind the shop. Bring your old seat post and we ' +
          'fit it while you wait.\n\nLuc',
      },
      { hours: 0.1, by: 'luc', status: 'closed', reason: 'Answered' },
      { hours: 20, customer: 'One more question: may I pay by card there?\n\nMarek' },
    ],
  },
  {
    daysAgo: 3.9,
    from: { name: '佐々木 健', email: 'k.sasaki@yubin.example' },
    subject: '注文番号48402の配送について',
    body: 'お世話になっております。\n\n注文番号48402の自転車は、日本への配送が可能でしょうか。送料と日数の目安を教えていただけますと幸いです。\n\n佐々木 健',
    steps: [
      { hours: 7, by: 'tomasz', tags: ['delivery', '日本語'] },
      {
        hours: 0.5,
        by: 'tomasz',
        note: 'We have no carrier for this yet. @luc could you ask the forwarder in Hamburg?',
      },
      { hours: 0.1, by: 'tomasz', assign: 'luc' },
    ],
  },
  {
    daysAgo: 2.8,
    from: { name: 'Eleanor Whitby', email: 'eleanor.whitby@post.example' },
    subject: 'A second key for the frame lock',
    body:
      'Hello again,\n\nthe bike is a joy. Could I order a second key for the lock? The number on it is RW-5518.\n' +
      '\nEleanor',
    steps: [{ hours: 2, by: 'maya', assign: 'maya', tags: ['spare part'] }],
  },
  {
    daysAgo: 0.7,
    from: { name: 'ليلى حداد', email: 'layla.haddad@barid.example' },
    subject: 'متى يصل الطلب رقم 48377؟',
    body:
      'مرحباً،\n\nطلبت حقيبة السرج يوم الأحد (دفعت ببطاقة Visa) ولم يصلني رقم التتبع بعد. هل يمكنكم إرساله؟ ' +
      'شكراً لكم 🚲\n\nليلى حداد',
    steps: [{ hours: 1, by: 'tomasz', tags: ['delivery'] }],
  },
  {
    daysAgo: 1.6,
    from: { name: 'Tobias Reinholt', email: 'tobias@reinholt.example' },
    subject: 'Lieferung an Packstation?',
    body:
      'Hallo,\n\nkönnt ihr die Satteltasche auch an eine Packstation schicken? Ich bin tagsüber nie zu Hause.\n\n' +
      'Viele Grüße\nTobias',
    steps: [{ hours: 4, by: 'ines', tags: ['delivery', 'deutsch'], priority: 'low' }],
  },
  {
    daysAgo: 0.4,
    from: { name: 'Amara Nwosu', email: 'amara.nwosu@mail.example' },
    subject: 'Gift voucher does not work',
    body:
      'Hi,\n\nthe voucher RW-GIFT-2041 that my colleagues gave me says "unknown code" at the till. The birthday ' +
      'was yesterday, so it cannot have run out, can it?\n\nAmara',
    steps: [],
  },
  {
    daysAgo: 0.15,
    from: { name: 'Accounts Payable, Northgate Council', email: 'payables@northgate.example' },
    subject: 'PO-7719: can two of the four come a week earlier?',
    body:
      'Dear Ms Albrecht,\n\nthe parks team starts a week early this year. Could two of the four bikes, both with ' +
      'the low step, come ahead of the others?\n\nNorthgate Council, Accounts Payable',
    steps: [{ hours: 0.5, by: 'tomasz', assign: 'ines', priority: 'high', tags: ['business'] }],
  },
];
