import type { Condition, RuleConditions } from './schema.ts';

export type PlacedCondition = { condition: Condition; path: string };

/** Each condition of a rule with its place, such as `conditions.all.2.any.0`. */
export function conditionsIn(conditions: RuleConditions | null): PlacedCondition[] {
  const { all, any } = conditions ?? {};
  const terms = all ?? any ?? [];
  const way = all === undefined ? 'any' : 'all';
  return terms.flatMap(({ all: everyOne, any: anyOne, ...condition }, index) => {
    const path = `conditions.${way}.${index}`;
    const inner = everyOne ?? anyOne;
    if (inner === undefined) return [{ condition, path }];
    const innerWay = everyOne === undefined ? 'any' : 'all';
    return inner.map((one, place) => ({ condition: one, path: `${path}.${innerWay}.${place}` }));
  });
}
