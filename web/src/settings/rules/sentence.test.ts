import { beforeAll, describe, expect, test } from 'vitest';
import { loadWords, speak } from '../../words/words.ts';
import { isComplete } from './complete.ts';
import { type Asked, askedOf, fieldNames, newAsked, termOf } from './fields.ts';
import { type RuleDraft, splitTerms, type Term } from './rule.ts';
import { plainOf, type RuleNames, sentenceOf } from './sentence.ts';
import { startIds, startOf } from './starting-points.ts';
import { nameOfTrigger, triggerNames, triggerOf } from './triggers.ts';

beforeAll(() => Promise.all((['first', 'later', 'settings'] as const).map(loadWords)));

const own = (id: string) => id;
const names: RuleNames = {
  ...{ person: own, team: own, mailbox: own, calendar: own, reply: own, webhook: own },
};
const arrives = { event: 'message.added', direction: 'inbound' } as const;
const ruleOf = (fields: Partial<RuleDraft>): RuleDraft => ({
  ...{ name: '', trigger: arrives, conditions: null, actions: {}, stopAfter: false, onRules: false },
  ...fields,
});

const billing = ruleOf({
  conditions: { all: [{ ticket: { mailbox: ['billing@office.example'] } }] },
  actions: { teamId: 'Billing', priority: 'normal' },
});
const domains = ruleOf({
  conditions: { all: [{ message: { fromDomain: ['north.example', 'fjord.example'] } }] },
  actions: { addTags: ['business'] },
});
const brakes = ruleOf({
  conditions: {
    all: [
      { ticket: { priority: 'high' }, not: true },
      {
        any: [{ message: { subject: { has: ['brake', 'fork'] } } }, { message: { body: { has: ['brake', 'fork'] } } }],
      },
    ],
  },
  actions: { addTags: ['safety'], notify: { assignee: true, teamId: 'Workshop' } },
  stopAfter: true,
});
const waiting = ruleOf({
  trigger: { after: '4h', since: 'waitingSince', calendarId: 'Office' },
  conditions: { any: [{ ticket: { status: ['open'] } }, { ticket: { assignee: ['none'] } }] },
  actions: { priority: 'high', status: 'closed' },
});

describe('a rule is a sentence', () => {
  test('in English', () => {
    expect(plainOf(sentenceOf(billing, names))).toBe(
      'If the mailbox is billing@office.example, give it to the team Billing and set priority to Normal.',
    );
    expect(plainOf(sentenceOf(domains, names))).toBe(
      'If the sender’s domain is north.example or fjord.example, tag business.',
    );
    expect(plainOf(sentenceOf(brakes, names))).toBe(
      'If the priority is not High and the subject or text has brake or fork, ' +
        'tag safety, tell the assignee and Workshop, and run no further rules.',
    );
    expect(plainOf(sentenceOf(waiting, names))).toBe(
      'If a customer has waited 4 hours in Office and (the status is Open or nobody is assigned), ' +
        'set priority to High and close it.',
    );
    expect(plainOf(sentenceOf(ruleOf({ actions: { addTags: ['mail'] } }), names))).toBe(
      'If a message arrives, tag mail.',
    );
  });

  test('in German, with the verb at the end', async () => {
    await speak('de');
    const sentences = [billing, domains, brakes, waiting].map((rule) => plainOf(sentenceOf(rule, names)));
    await speak('en');
    expect(sentences).toEqual([
      'Wenn das Postfach billing@office.example ist, dem Team Billing geben und Priorität auf Normal setzen.',
      'Wenn die Domain des Absenders north.example oder fjord.example ist, den Tag business hinzufügen.',
      'Wenn die Priorität nicht Hoch ist und der Betreff oder Text brake oder fork enthält, den Tag safety ' +
        'hinzufügen, die zuständige Person und Workshop benachrichtigen und keine weiteren Regeln ausführen.',
      'Wenn ein Kunde 4 Stunden innerhalb von Office gewartet hat und (der Status Offen ist oder niemand zuständig ist), ' +
        'Priorität auf Hoch setzen und schließen.',
    ]);
  });

  test('whose values stand out, whatever they say', () => {
    const odd = ruleOf({ conditions: { all: [{ message: { subject: { is: ['{field}', 'a, b'] } } }] } });
    expect(sentenceOf(odd, names).filter(({ isValue }) => isValue)).toEqual([
      { text: '{field}', isValue: true },
      { text: 'a, b', isValue: true },
    ]);
  });
});

test('every field keeps what it asks through the shape of the API, and so does its opposite', () => {
  for (const field of fieldNames)
    for (const not of [false, true]) {
      const asked = { ...newAsked(field, 'office'), not } as Asked;
      expect(askedOf(termOf(asked))).toEqual(asked);
    }
});

test('what only a program writes stays as it is', () => {
  const kept: Term[] = [
    { ticket: { status: ['open'], priority: 'low' }, not: true },
    { ticket: { archived: 'any' } },
    { message: { header: { name: 'X-Shop' } } as never },
    { any: [{ message: { subject: { has: ['a'] } } }, { message: { body: { has: ['b'] } } }] },
  ];
  expect(kept.map(askedOf)).toEqual(kept.map(() => undefined));
  expect(splitTerms(kept, 'all')).toEqual(kept);
  const both: Term = { ticket: { status: ['open'], priority: 'low' } };
  expect(splitTerms([both], 'any')).toEqual([both]);
  expect(splitTerms([both], 'all')).toEqual([{ ticket: { status: ['open'] } }, { ticket: { priority: 'low' } }]);
});

test('every trigger is found again by its name', () => {
  for (const name of triggerNames) expect(nameOfTrigger(triggerOf(name, arrives))).toBe(name);
  expect(nameOfTrigger({ event: 'message.redacted' })).toBeUndefined();
});

test('every starting point is whole but the empty one, in an empty workspace too', () => {
  const of = { status: [], verdict: [], assignee: [], team: [], mailbox: [] };
  const none = { of, calendars: [], replies: [], webhooks: [], people: [], teams: [] };
  const billingTeam = { ...none, teams: [['team 1', 'Billing']] as const, calendars: [['c', 'Office']] as const };
  for (const options of [none, billingTeam]) {
    const drafts = startIds.map((id) => startOf(id, { options, userId: 'ada' }));
    expect(drafts.filter((draft) => !isComplete(draft)).map(({ name }) => name)).toEqual(['']);
    expect(new Set(drafts.map(({ name }) => name)).size).toBe(startIds.length);
  }
  expect(startOf('invoices', { options: billingTeam, userId: 'ada' }).actions.teamId).toBe('team 1');
  expect(startOf('waiting', { options: billingTeam, userId: 'ada' }).trigger).toMatchObject({ calendarId: 'c' });
});
