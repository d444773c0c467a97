import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, type Habit, type MailFields, writeMail } from '../../emulators/customer-mail.ts';
import { type Random, randomOf } from '../../emulators/random.ts';
import { readHead } from '../../emulators/read-mail.ts';
import { bodyText, capital, words } from '../words.ts';
import type { Desk, HostedBox } from './desk.ts';
import type { Side } from './side.ts';

/** Customers who write mail, and people in the mailboxes' own clients: one mail per call of `write`. */
export type Customers = {
  write(): Promise<void>;
  /** Notes an answer that went out to a customer. */
  noteAnswer(customer: string, box: HostedBox): void;
  pick(random: Random): string;
  habitOf(customer: string): Habit | undefined;
  /** How many mails were written, by kind. */
  counts: Record<string, number>;
  /** When a mail first arrived in a mailbox, by Message-ID. */
  deliveredAt: ReadonlyMap<string, number>;
};

/** A mail in a mailbox, and the customer who wrote it. */
type Written = { box: HostedBox; raw: Buffer; customer: string };
/** The recipient of an answer, and the mailbox that sent it. */
type Answered = { customer: string; box: HostedBox };

const customerCount = 400;
const emailOf = (customer: number) => `customer${customer}@mail${customer % 7}.example.net`;

/** The share of each kind. */
const kinds = {
  new: 38,
  answer: 26,
  'answer of another customer': 12,
  duplicate: 8,
  'to two mailboxes': 8,
  'sent by hand': 8,
} as const;
type Kind = keyof typeof kinds;

/** People and rules file mail before the service reads it. */
const filings = ['filed', 'filed', 'filed and brought back'] as const;
const filingsOneIn = 20;

/** One customer in twenty is absent, and one in twenty has a broken address. */
function usualHabit(customer: number): Habit | undefined {
  if (customer % 20 === 3) return 'bounces';
  return customer % 20 === 7 ? 'is-absent' : undefined;
}

export async function openCustomers(
  desks: readonly Desk[],
  sides: readonly Side[],
  { seed }: { seed: number },
): Promise<Customers> {
  const random = randomOf(seed, 1);
  const counts: Record<string, number> = {};
  const answered: Answered[] = [];
  const habits = await setHabits(sides);
  const mailing = openMailing({ random, seed, counts });
  const acts = makeActs({ random, desks, answered, mailing });

  return {
    write: async () => {
      const wished = drawKind(random);
      const kind = (await acts[wished]()) ? wished : 'new';
      if (kind !== wished) await acts.new();
      counts[kind] = (counts[kind] ?? 0) + 1;
    },
    noteAnswer: (customer, box) => void answered.push({ customer, box }),
    pick: pickCustomer,
    habitOf: (customer) => habits.get(customer),
    counts,
    deliveredAt: mailing.deliveredAt,
  };
}

async function setHabits(sides: readonly Side[]): Promise<Map<string, Habit>> {
  const habits = new Map<string, Habit>();
  for (let customer = 0; customer < customerCount; customer++) {
    const habit = usualHabit(customer);
    if (habit === undefined) continue;
    habits.set(emailOf(customer), habit);
    for (const side of sides) await side.setHabit(emailOf(customer), habit);
  }
  return habits;
}

type Mailing = ReturnType<typeof openMailing>;

/** Writes mails and delivers them to their mailboxes. */
function openMailing({ random, seed, counts }: { random: Random; seed: number; counts: Record<string, number> }) {
  const written: Written[] = [];
  const deliveredAt = new Map<string, number>();
  let mails = 0;

  const rawOf = (fields: MailFields, box: HostedBox): Promise<Buffer> => {
    const number = ++mails;
    const text = bodyText(random);
    const isHtml = random.below(4) === 0;
    return writeMail(
      {
        messageId: `storm.${seed}.${number}@mail.example.net`,
        text,
        ...(isHtml && { html: `<p>${text.replaceAll('\n', '<br>')}</p>` }),
        ...fields,
      },
      { to: box.address, date: new Date() },
    );
  };
  const deliver = async (mail: Written): Promise<void> => {
    const { messageId } = readHead(mail.raw);
    if (messageId !== null && !deliveredAt.has(messageId)) deliveredAt.set(messageId, Date.now());
    const { side, address } = mail.box;
    const id = await side.deliver(address, mail.raw);
    written.push(mail);
    const how = filings[random.below(filingsOneIn)];
    if (how === undefined) return;
    // At once, or while the service reads the mail.
    if (random.below(2) === 0) await sleep(random.below(500));
    await side.file(address, id, how);
    counts[how] = (counts[how] ?? 0) + 1;
  };
  return {
    written,
    deliveredAt,
    rawOf,
    deliver,
    writeTo: async (box: HostedBox, customer: string, fields: MailFields): Promise<Buffer> => {
      const raw = await rawOf({ from: customer, to: [box.address], ...fields }, box);
      await deliver({ box, raw, customer });
      return raw;
    },
    /** A unique subject, since mail of one person under one subject counts as one conversation. */
    newSubject: (): string => `${capital(words(random, 4))} ${mails}`,
  };
}

type Scene = { random: Random; desks: readonly Desk[]; answered: readonly Answered[]; mailing: Mailing };

/** Actions that write a mail of each kind. @returns false if there is no mail yet to refer to */
function makeActs({ random, desks, answered, mailing }: Scene): Record<Kind, () => Promise<boolean>> {
  const { written, deliver, writeTo, rawOf, newSubject } = mailing;
  const boxes = desks.flatMap(({ mailboxes }) => mailboxes);
  const neighboursOf = (box: HostedBox) => desks.find(({ mailboxes }) => mailboxes.includes(box))?.mailboxes ?? [box];

  return {
    new: async () => {
      const cc = [pickCustomer(random), pickCustomer(random)];
      await writeTo(random.pick(boxes), pickCustomer(random), { subject: newSubject(), cc });
      return true;
    },
    /** A customer answers an agent. */
    answer: async () => {
      if (answered.length === 0) return false;
      const { customer, box } = random.pick(answered);
      const got = await box.side.received(customer);
      const mail = got.at(random.below(got.length));
      if (mail === undefined) return false;
      const { to, ...fields } = answerTo(mail.raw, customer);
      // Goes to the Reply-To, which is the mailbox that sent the answer.
      const target = boxes.find(({ address }) => to?.some((email) => isAt(email, address)));
      if (target === undefined) return false;
      await writeTo(target, customer, { ...fields, to: to ?? [] });
      return true;
    },
    /**
     * Replies to all. Otherwise, if the earlier mail is still missing, the service would take that mail for a new
     * ticket: a reply makes no stranger known.
     */
    'answer of another customer': async () => {
      if (written.length === 0) return false;
      const { raw, box, customer: author } = random.pick(written);
      const people = outsidersOf(raw, boxes);
      const others = people.filter((email) => email !== author);
      if (others.length === 0) return false;
      const customer = random.pick(others);
      const cc = people.filter((email) => email !== customer);
      // Through another mailbox the reply may overtake the mail that it answers.
      const target = random.below(3) === 0 ? random.pick(neighboursOf(box)) : box;
      await writeTo(target, customer, { ...answerTo(raw, customer), to: [target.address], cc });
      return true;
    },
    /** Delivers the same mail again to the mailbox that has it. */
    duplicate: async () => {
      if (written.length === 0) return false;
      await deliver(random.pick(written));
      return true;
    },
    'to two mailboxes': async () => {
      const [box, other] = [random.pick(boxes), random.pick(boxes)];
      const customer = pickCustomer(random);
      const to = [box.address, other.address];
      const raw = await writeTo(box, customer, { to, subject: newSubject() });
      if (other !== box) await deliver({ box: other, raw, customer });
      return true;
    },
    'sent by hand': async () => {
      if (written.length === 0) return false;
      const { raw, box } = random.pick(written);
      const own = await rawOf({ ...answerTo(raw, box.address), to: outsidersOf(raw, boxes) }, box);
      await box.side.sendByHand(box.address, own);
      return true;
    },
  };
}

function pickCustomer(random: Random): string {
  return emailOf(random.below(customerCount));
}

/** The people in a mail's header, without our mailboxes. */
function outsidersOf(raw: Buffer, boxes: readonly HostedBox[]): string[] {
  const { from, to, cc } = readHead(raw);
  const people = new Set([...(from === null ? [] : [from.email]), ...to, ...cc]);
  return [...people].filter((email) => !boxes.some(({ address }) => isAt(email, address)));
}

function drawKind(random: Random): Kind {
  const shares = Object.entries(kinds) as [Kind, number][];
  let left = random.below(shares.reduce((sum, [, share]) => sum + share, 0));
  for (const [kind, share] of shares) {
    if (left < share) return kind;
    left -= share;
  }
  return 'new';
}

/** Compares addresses without plus tags. */
function isAt(email: string, address: string): boolean {
  return email.toLowerCase().replace(/\+[^@]*(?=@)/, '') === address;
}
