import type { Condition, RuleConditions, Term } from './schema.ts';

export type PlacedCondition = { condition: Condition; path: string };

/** Each condition of a rule with its place, such as `conditions.all.2.any.0`. */
export function conditionsIn(conditions: RuleConditions | null): PlacedCondition[] {
  const { terms, way } = groupOf(conditions ?? {});
  return terms.flatMap((term, index) => {
    const path = `conditions.${way}.${index}`;
    const group = groupOf(term);
    if (group.terms.length === 0) return [{ condition: term, path }];
    return group.terms.map((condition, place) => ({ condition, path: `${path}.${group.way}.${place}` }));
  });
}

/** Whether a condition holds, by its place. `not` counts already. */
export type Answers = ReadonlyMap<string, boolean>;

/**
 * Whether a rule's conditions hold, and else the place of one that says no: of `any`, the first. Undefined as long as
 * answers are missing that could decide it.
 */
export function decide(
  conditions: RuleConditions | null,
  answers: Answers,
): { isMet: true } | { isMet: false; saidNo: string } | undefined {
  if (conditions === null) return { isMet: true };
  const decided = decideGroup(conditions, 'conditions', answers);
  if (decided === undefined) return undefined;
  return decided === true ? { isMet: true } : { isMet: false, saidNo: decided.saidNo };
}

type Decided = true | { saidNo: string } | undefined;

function decideGroup(group: RuleConditions | Term, path: string, answers: Answers): Decided {
  const { terms, way } = groupOf(group);
  const decided = terms.map((term, index) => {
    const at = `${path}.${way}.${index}`;
    if (groupOf(term).terms.length > 0) return decideGroup(term, at, answers);
    const answer = answers.get(at);
    return answer === false ? { saidNo: at } : answer;
  });
  const firstNo = decided.find((one) => typeof one === 'object');
  if (way === 'all') return firstNo ?? (decided.includes(undefined) ? undefined : true);
  if (decided.includes(true)) return true;
  return decided.includes(undefined) ? undefined : firstNo;
}

function groupOf({ all, any }: Pick<Term, 'all' | 'any'> | RuleConditions): {
  terms: readonly Term[];
  way: 'all' | 'any';
} {
  return all === undefined ? { terms: any ?? [], way: 'any' } : { terms: all, way: 'all' };
}
