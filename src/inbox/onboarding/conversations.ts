/** The texts of the sample tickets: a lamp shop, as its support team sees its mail. */

type SamplePerson = { name: string; email: string };
type Said = {
  by: 'customer' | 'agent' | 'note';
  minutesAgo: number;
  body: string;
  bodyHtml?: string;
  /** The unquoted part of `body`. */
  replyText?: string;
  /** Whether the message has `sampleFile` attached. */
  hasFile?: boolean;
};
export type Conversation = {
  from: SamplePerson;
  subject: string;
  priority?: 'urgent' | 'high' | 'low';
  tags?: string[];
  status?: 'pending' | 'closed';
  /** Assigned to the member who makes the samples. */
  isMine?: boolean;
  messages: Said[];
  /** The customer's answers, in order. */
  replies: string[];
};

const hour = 60;
const day = 24 * hour;
const of = (name: string, local: string): SamplePerson => ({ name, email: `${local}@sample-customers.example` });
const nora = of('Nora Lindgren', 'nora.lindgren');
const paul = of('Paul Okafor', 'paul.okafor');
const mei = of('Mei Tanaka', 'mei.tanaka');
const diego = of('Diego Ramírez', 'diego.ramirez');
const hannah = of('Hannah Vogel', 'hannah.vogel');
const samir = of('Samir Haddad', 'samir.haddad');

/** Newest activity first. */
export const conversations: readonly Conversation[] = [
  {
    from: nora,
    subject: 'My desk lamp flickers',
    tags: ['warranty'],
    messages: [
      {
        by: 'customer',
        minutesAgo: 4,
        body:
          'Hi,\n\nthe desk lamp that I bought from you in March has started to flicker, and only when it is dimmed ' +
          'below half. Another bulb does the same. Is that covered by the warranty?\n\nOrder 10482\n\nBest wishes\n' +
          'Nora',
      },
    ],
    replies: [
      'Thank you for the quick answer! I tried it just now and it still flickers. Shall I send the lamp back, or ' +
        'is there a part that I can change myself?\n\nNora',
      'Perfect, that is all I needed to know. Have a good day!\n\nNora',
    ],
  },
  {
    from: paul,
    subject: 'Wrong address on order 10517',
    priority: 'urgent',
    tags: ['delivery'],
    messages: [
      {
        by: 'customer',
        minutesAgo: 22,
        body:
          'Hello,\n\nI noticed a minute too late that order 10517 goes to my old flat. Can you still change it? ' +
          'The new address is:\n\nPaul Okafor\n14 Orchard Lane\nBristol BS1 5DS\n\nThe parcel should leave today, ' +
          'so it is rather urgent.\n\nPaul',
        bodyHtml:
          '<p>Hello,</p><p>I noticed a minute too late that <b>order 10517</b> goes to my old flat. Can you still ' +
          'change it? The new address is:</p><p>Paul Okafor<br>14 Orchard Lane<br>Bristol BS1 5DS</p><p>The parcel ' +
          'should leave <i>today</i>, so it is rather urgent.</p><p>Paul</p>',
      },
    ],
    replies: ['That was close. Thanks a lot!\n\nPaul', 'It has arrived, at the right door. Thank you again.\n\nPaul'],
  },
  {
    from: mei,
    subject: 'Invoice for our company',
    tags: ['billing'],
    isMine: true,
    messages: [
      {
        by: 'customer',
        minutesAgo: 3 * hour,
        body:
          'Dear team,\n\ncould you send the invoice for order 10390 again, with our VAT number on it? It is GB 123 ' +
          '4567 89.\n\nKind regards\nMei Tanaka',
      },
      {
        by: 'agent',
        minutesAgo: 2 * hour,
        body: 'Dear Mei,\n\nof course. Which name shall the invoice be made out to?',
      },
      {
        by: 'customer',
        minutesAgo: 50,
        body:
          'Tanaka Interiors Ltd, please.\n\nMei\n\nOn Monday the support team wrote:\n> Dear Mei,\n>\n> of course. ' +
          'Which name shall the invoice be made out to?',
        replyText: 'Tanaka Interiors Ltd, please.\n\nMei',
      },
    ],
    replies: ['Wonderful, thank you. Our accountant is happy.\n\nMei'],
  },
  {
    from: diego,
    subject: 'Error when I pay by card',
    priority: 'high',
    tags: ['shop'],
    messages: [
      {
        by: 'customer',
        minutesAgo: 75,
        body:
          'Good morning,\n\nI have tried to pay three times and each time the page says "Something went wrong". I ' +
          'kept what the browser wrote, in case it helps.\n\nDiego',
        hasFile: true,
      },
    ],
    replies: [
      'I tried it in another browser as you said, and there it works. So something is wrong with the first one?\n' +
        '\nDiego',
      'Understood, thanks for explaining.\n\nDiego',
    ],
  },
  {
    from: hannah,
    subject: 'Passt der Schirm auf die alte Leuchte?',
    tags: ['before buying'],
    messages: [
      {
        by: 'customer',
        minutesAgo: 2 * hour,
        body:
          'Guten Tag,\n\nich habe noch die Stehleuchte von 2019. Passt der neue Leinenschirm darauf, oder brauche ' +
          'ich einen Adapter?\n\nViele Grüße\nHannah Vogel',
      },
    ],
    replies: ['Das ist ja einfach, vielen Dank! Dann bestelle ich ihn.\n\nHannah Vogel'],
  },
  {
    from: samir,
    subject: 'Do you ship to Lebanon?',
    tags: ['delivery', 'before buying'],
    messages: [
      {
        by: 'customer',
        minutesAgo: 5 * hour,
        body:
          'Hi there,\n\nI would like to send two wall lamps to my parents in Beirut. Do you ship there, and what ' +
          'would it cost?\n\nThanks\nSamir',
      },
      {
        by: 'note',
        minutesAgo: 4 * hour,
        body: 'We did this once last year, by post and not by courier. Notes like this one are seen by the team alone.',
      },
    ],
    replies: ['Good to know. Two weeks are fine, the birthday is in a month.\n\nSamir'],
  },
  {
    from: nora,
    subject: 'Question about the lamp oil set',
    messages: [
      {
        by: 'customer',
        minutesAgo: 7 * hour,
        body:
          'Hi again,\n\nmy other question got lost, I think: is the oil of the lantern set safe indoors? We have ' +
          'two cats.\n\nNora',
      },
    ],
    replies: ['The cats and I thank you.\n\nNora'],
  },
  {
    from: paul,
    subject: 'Where is my refund?',
    priority: 'high',
    tags: ['billing'],
    status: 'pending',
    isMine: true,
    messages: [
      {
        by: 'customer',
        minutesAgo: 23 * hour,
        body:
          'Hello,\n\nI returned the ceiling light (order 10211) two weeks ago and have not seen the money yet.\n\n' +
          'Paul',
      },
      {
        by: 'agent',
        minutesAgo: 20 * hour,
        body:
          'Hello Paul,\n\nsorry about the wait. The return is here, and I have asked our bank where the transfer ' +
          'is. I will write as soon as I know.',
      },
    ],
    replies: ['Thanks for looking into it.\n\nPaul'],
  },
  {
    from: mei,
    subject: 'Bulk order: 40 table lamps',
    tags: ['sales'],
    messages: [
      {
        by: 'customer',
        minutesAgo: day,
        body:
          'Dear team,\n\nwe furnish a hotel and need the following by the end of next month. Is there a discount?\n' +
          '\n40 table lamps, brass\n12 floor lamps, black\n6 spare shades\n\nKind regards\nMei Tanaka',
        bodyHtml:
          '<p>Dear team,</p><p>we furnish a hotel and need the following by the end of next month. Is there a ' +
          'discount?</p><table border="1" cellpadding="6"><tr><th align="left">Article</th><th ' +
          'align="left">Colour</th><th align="right">Pieces</th></tr><tr><td>Table lamp</td><td>brass</td><td ' +
          'align="right">40</td></tr><tr><td>Floor lamp</td><td>black</td><td align="right">12</td></tr><tr>' +
          '<td>Spare shade</td><td>linen</td><td align="right">6</td></tr></table><p>Kind regards<br>Mei Tanaka</p>',
      },
    ],
    replies: [
      'Ten per cent sounds fair. How long does the offer stand?\n\nMei Tanaka',
      'Then we order today. Thank you.\n\nMei Tanaka',
    ],
  },
  {
    from: diego,
    subject: 'Newsletter arrives twice',
    priority: 'low',
    messages: [
      {
        by: 'customer',
        minutesAgo: day + 5 * hour,
        body:
          'Hello,\n\nnothing urgent: your newsletter comes twice each week, to the same address. Once is enough ' +
          ':)\n\nDiego',
      },
    ],
    replies: ['Great, thank you!\n\nDiego'],
  },
  {
    from: hannah,
    subject: 'Danke für die schnelle Lieferung',
    status: 'closed',
    messages: [
      {
        by: 'customer',
        minutesAgo: 2 * day + 3 * hour,
        body:
          'Guten Tag,\n\ndie Lampe kam nach zwei Tagen und sieht noch schöner aus als auf dem Bild. Danke!\n\n' +
          'Hannah Vogel',
      },
      { by: 'agent', minutesAgo: 2 * day, body: 'Guten Tag Frau Vogel,\n\ndas freut uns sehr. Viel Freude damit!' },
    ],
    replies: ['Das wünsche ich Ihnen auch.\n\nHannah Vogel'],
  },
  {
    from: samir,
    subject: 'Replacement for a broken shade',
    status: 'closed',
    tags: ['warranty'],
    isMine: true,
    messages: [
      {
        by: 'customer',
        minutesAgo: 3 * day,
        body: 'Hello,\n\none of the two glass shades was broken in the parcel. Could I get a new one?\n\nSamir',
      },
      {
        by: 'agent',
        minutesAgo: 2 * day + 22 * hour,
        body: 'Hello Samir,\n\nwe are sorry. A new shade left today, you need not send back the broken one.',
      },
    ],
    replies: ['It is here, and whole. Thank you!\n\nSamir'],
  },
];
