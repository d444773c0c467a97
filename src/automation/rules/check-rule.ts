import { type GivenIssue, invalidRequest } from '../../ground/lib/errors.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import { conditionsIn } from './conditions.ts';
import { patternFault } from './patterns.ts';
import {
  type Condition,
  conditionsMax,
  type RuleActions,
  type RuleConditions,
  type RuleContent,
  type RuleTrigger,
  type TextTest,
} from './schema.ts';

/** Throws 400 with every issue of what a rule says, each with its place in the JSON. */
export function checkRule({ trigger, conditions, actions }: RuleContent): void {
  const issues = [
    ...triggerFaults(trigger),
    ...groupFaults(conditions),
    ...conditionsIn(conditions).flatMap(({ condition, path }) => conditionFaults(condition, path, trigger)),
    ...actionFaults(actions),
  ].map((issue) => ({ ...issue, path: `body.${issue.path}` }));
  if (issues.length > 0) throw invalidRequest(...issues);
  foldTags(actions.addTags ?? [], 'body.actions.addTags');
}

/** Whether no condition narrows the tickets of a rule that mails. A status narrows little: all tickets have one. */
export function isWide({ conditions, actions }: Pick<RuleContent, 'conditions' | 'actions'>): boolean {
  if (actions.reply === undefined) return false;
  return !conditionsIn(conditions).some(({ condition: { ticket, message, hours } }) => {
    if (message !== undefined || hours !== undefined) return true;
    return Object.keys(ticket ?? {}).some((name) => name !== 'status' && name !== 'archived' && name !== 'snoozed');
  });
}

function triggerFaults({ event, direction, by, after, since, calendarId }: RuleTrigger): GivenIssue[] {
  const one = oneOf('trigger', { event, after });
  if (one.length > 0) return one;
  const never = (given: Record<string, unknown>) =>
    present(given).map((name): GivenIssue => ({ path: `trigger.${name}`, key: 'not_of_event' }));
  if (after !== undefined)
    return [
      ...(since === undefined ? [{ path: 'trigger.since', key: 'required' } as const] : []),
      ...never({ direction, by }),
    ];
  return [
    ...never({ since, calendarId }),
    ...(event === 'message.added' || event === 'ticket.created' ? [] : never({ direction })),
  ];
}

function groupFaults(conditions: RuleConditions | null): GivenIssue[] {
  if (conditions === null) return [];
  const { all, any } = conditions;
  const one = oneOf('conditions', { all, any });
  if (one.length > 0) return one;
  const way = all === undefined ? 'any' : 'all';
  const terms = (all ?? any ?? []).flatMap(({ ticket, message, hours, not, ...groups }, index) => {
    const path = `conditions.${way}.${index}`;
    const isGroup = groups.all !== undefined || groups.any !== undefined;
    const fault = oneOf(path, { ticket, message, hours, ...groups });
    if (fault.length > 0 || !isGroup || not === undefined) return fault;
    return [{ path: `${path}.not`, key: 'not_a_field' } as const];
  });
  const count = conditionsIn(conditions).length;
  if (count <= conditionsMax) return terms;
  return [...terms, { path: 'conditions', key: 'too_many_conditions', params: { limit: conditionsMax } }];
}

function conditionFaults({ ticket, message, hours }: Condition, path: string, { event }: RuleTrigger): GivenIssue[] {
  const isInGroup = path.split('.').length > 3;
  const one = isInGroup ? oneOf(path, { ticket, message, hours }) : [];
  if (one.length > 0 || message === undefined) return one;
  if (event !== 'message.added' && event !== 'ticket.created')
    return [{ path: `${path}.message`, key: 'not_of_event' }];
  const { from, to, subject, body, header, attachmentName } = message;
  const texts = Object.entries({ from, to, subject, body, header, attachmentName });
  return texts.flatMap(([name, test]) => {
    if (test === undefined) return [];
    const isNameAlone = name === 'header' && present(textOf(test)).length === 0;
    return isNameAlone ? [] : textFaults(test, `${path}.message.${name}`);
  });
}

const textOf = ({ is, has, matches }: TextTest) => ({ is, has, matches });

function textFaults(test: TextTest, path: string): GivenIssue[] {
  const one = oneOf(path, textOf(test));
  const said = test.matches === undefined ? undefined : patternFault(test.matches);
  return said === undefined ? one : [...one, { path: `${path}.matches`, key: 'bad_pattern', params: { said } }];
}

function actionFaults({ reason, status }: RuleActions): GivenIssue[] {
  return reason !== undefined && status === undefined ? [{ path: 'actions.reason', key: 'needs_status' }] : [];
}

/** The names of the fields that are given. */
const present = (given: Record<string, unknown>): string[] =>
  Object.keys(given).filter((name) => given[name] !== undefined);

function oneOf(path: string, given: Record<string, unknown>): GivenIssue[] {
  if (present(given).length === 1) return [];
  return [{ path, key: 'needs_one_of', params: { names: Object.keys(given).join(', ') } }];
}
