import { caseKey } from '../../tickets/filters.ts';
import { type WordKey, words } from '../../words/words.ts';
import type { RuleActions, RuleDraft, Trigger } from './rule.ts';
import { eventTriggers } from './triggers.ts';
import type { RuleOptions } from './use-rule-names.ts';

/** What a person begins a rule with, in place of an empty form. Each is a rule as it stands, to be fitted by hand. */
export const startIds = [
  ...(['waiting', 'escalate', 'vip', 'invoices', 'urgent', 'newTicket'] as const),
  ...(['outOfOffice', 'autoClose', 'shop', 'attachment', 'followUp', 'forged', 'blank'] as const),
] as const;
export type StartId = (typeof startIds)[number];

type Kit = { options: RuleOptions; userId: string };
type Begun = Pick<RuleDraft, 'actions'> & Partial<RuleDraft>;
type Arrives = Extract<Trigger, { event: string }>;

const arrives: Arrives = { ...eventTriggers.arrives };
const after = (span: string, since: Extract<Trigger, { after: string }>['since'], calendarId: string | null) =>
  ({ after: span, since, calendarId }) satisfies Trigger;

const starts: Record<StartId, (kit: Kit) => Begun> = {
  waiting: (kit) => ({
    trigger: after('4h', 'waitingSince', firstCalendar(kit)),
    conditions: { all: [{ ticket: { status: ['open'] } }] },
    actions: { priority: 'high', notify: toldOf(kit) },
  }),
  escalate: (kit) => ({
    trigger: after('1d', 'waitingSince', firstCalendar(kit)),
    conditions: { all: [{ ticket: { priority: 'high' } }] },
    actions: { priority: 'urgent', notify: { assignee: true } },
  }),
  vip: () => ({
    conditions: { all: [{ message: { fromDomain: ['customer.example'] } }] },
    actions: { addTags: ['vip'], priority: 'high' },
  }),
  invoices: (kit) => ({
    conditions: { all: [either(wordList('rules.start.invoices.words')), { message: { isFirst: true } }] },
    actions: { ...toTeam(kit, 'rules.start.invoices.team'), addTags: [words('rules.start.invoices.tag')] },
  }),
  urgent: () => ({
    conditions: { all: [either(wordList('rules.start.urgent.words'))] },
    actions: { priority: 'urgent' },
  }),
  newTicket: ({ userId }) => ({
    conditions: { all: [{ ticket: { assignee: ['none'] } }, { message: { isFirst: true } }] },
    actions: { assignee: userId },
  }),
  outOfOffice: () => ({
    trigger: { ...eventTriggers.machine },
    conditions: { all: [{ message: { subject: { has: wordList('rules.start.outOfOffice.words') } } }] },
    actions: { status: 'closed' },
    stopAfter: true,
  }),
  autoClose: () => ({
    trigger: after('7d', 'statusChanged', null),
    conditions: { all: [{ ticket: { status: ['pending'] } }] },
    actions: { status: 'closed', addTags: [words('rules.start.autoClose.tag')] },
  }),
  shop: () => ({
    conditions: { all: [{ message: { header: { name: 'X-Shop', has: ['shop'] } } }] },
    actions: { addTags: [words('rules.start.shop.tag')] },
  }),
  attachment: () => ({
    conditions: { all: [{ message: { attachmentName: { has: ['.pdf'] } } }] },
    actions: { addTags: ['pdf'] },
  }),
  followUp: () => ({
    trigger: after('3d', 'lastAnswer', null),
    conditions: { all: [{ ticket: { status: ['pending'] } }] },
    actions: { note: words('rules.start.followUp.note'), notify: { assignee: true } },
  }),
  forged: () => ({
    conditions: { all: [{ message: { verdict: ['fail'] } }] },
    actions: { addTags: [words('rules.start.forged.tag')], note: words('rules.start.forged.note') },
  }),
  blank: () => ({ actions: {} }),
};

/** The rule of a starting point, with the records of this workspace. */
export function startOf(id: StartId, kit: Kit): RuleDraft {
  const begun = starts[id](kit);
  const name = id === 'blank' ? '' : words(`rules.start.${id}`);
  return { name, trigger: arrives, conditions: null, stopAfter: false, onRules: false, ...begun };
}

const firstCalendar = ({ options }: Kit) => options.calendars[0]?.[0] ?? null;

/** The only team, or else the person who has the ticket. */
function toldOf({ options: { teams } }: Kit): NonNullable<RuleActions['notify']> {
  const [team] = teams;
  return team === undefined ? { assignee: true } : { teamId: team[0] };
}

/** The team of this name, where there is one. */
function toTeam({ options: { teams } }: Kit, name: WordKey): Pick<RuleActions, 'teamId'> {
  const names = words(name).split(',').map(caseKey);
  const team = teams.find(([, text]) => names.includes(caseKey(text)));
  return team === undefined ? {} : { teamId: team[0] };
}

const wordList = (key: WordKey) =>
  words(key)
    .split(',')
    .map((word) => word.trim());

/** The subject or the text has one of the words. */
const either = (has: string[]) => ({ any: [{ message: { subject: { has } } }, { message: { body: { has } } }] });
