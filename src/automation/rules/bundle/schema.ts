import { type TSchema, Type } from 'typebox';
import { oneOf } from '../../../ground/http/schema.ts';
import { createRuleBody, type Rule, type RuleContent, rulesMax } from '../schema.ts';

/** A rule as the API has it, with names in place of ids. */
export type BundledRule = RuleContent & Pick<Rule, 'isActive'>;

const { confirm, ...fields } = createRuleBody.properties;

const named = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'The name, or the address of a mailbox, member or contact. The id where no name is unique.',
});

/** The same schema with a name wherever it takes an id. */
function withNames(schema: TSchema): TSchema {
  const { type, format, pattern, items, properties, anyOf } = schema as Record<string, unknown>;
  if (type === 'string' && (format === 'uuid' || String(pattern).includes('[0-9a-fA-F]{8}'))) return named;
  return {
    ...schema,
    ...(items !== undefined && { items: withNames(items as TSchema) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(withNames) }),
    ...(properties !== undefined && { properties: eachWithNames(properties as Record<string, TSchema>) }),
  };
}

function eachWithNames(properties: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, withNames(property)]));
}

const rules = Type.Array(Type.Unsafe<BundledRule>(withNames(Type.Object(fields, { additionalProperties: false }))), {
  maxItems: rulesMax,
  description: 'In the order in which they run.',
});

export const bundleSchema = Type.Object({ rules });
export type Bundle = Type.Static<typeof bundleSchema>;

export const replaceRulesBody = Type.Object({ rules, confirm }, { additionalProperties: false });
export type ReplaceRules = Type.Static<typeof replaceRulesBody>;

export const replaceRulesQuery = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'True: checks everything, and changes nothing.' })),
});

const names = Type.Array(Type.String());
export const replacedSchema = Type.Object({
  created: names,
  changed: names,
  removed: names,
  unchanged: names,
  order: oneOf(['kept', 'changed'], { description: 'Whether rules that were there run in another order now.' }),
});
export type Replaced = Type.Static<typeof replacedSchema>;
