/** Saved replies that everybody of the workspace uses. */
export const replies = [
  {
    name: 'Where is my order?',
    shortcut: 'order',
    body:
      'Hello {{ contact.firstName | default: "there" }},\n\nthank you for your patience. I have asked the workshop ' +
      'about your order, and write again by tomorrow noon with a date.\n\n{{ agent.firstName }}',
  },
  {
    name: 'Test ride',
    shortcut: 'ride',
    body:
      'Hello {{ contact.firstName | default: "there" }},\n\nyou are welcome to ride our bikes from Tuesday to ' +
      'Saturday between ten and six. Please bring an identity card; we have helmets here.\n\n{{ agent.firstName }}',
  },
  {
    name: 'Refund is on its way',
    shortcut: 'refund',
    body:
      'Hello {{ contact.firstName | default: "there" }},\n\nyour refund left us today. Banks take three working days.' +
      '\n\n{{ agent.firstName }}',
    actions: { status: 'pending', addTags: ['refund'] },
  },
  {
    name: 'Please send a photo',
    shortcut: 'photo',
    body:
      'Hello {{ contact.firstName | default: "there" }},\n\ncould you send us a photo of the part, and the number on ' +
      'the frame? It stands below the bottom bracket. Then we send the right one.\n\n{{ agent.firstName }}',
  },
];
