import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Queryable } from '../../../ground/database/db.ts';
import { type GivenIssue, invalidRequest } from '../../../ground/lib/errors.ts';
import type { IssueKey } from '../../../ground/lib/issues.ts';
import { contentOf } from '../keep-rule.ts';
import { type Reference, referencesOf } from '../references.ts';
import type { Rule } from '../schema.ts';
import { readNames } from './names.ts';
import type { Bundle, BundledRule } from './schema.ts';

/** The rules as one file, which names what they refer to. */
export async function bundleOf(db: Queryable, actor: Actor, rules: readonly Rule[]): Promise<Bundle> {
  const names = await readNames(db, actor, contactsIn(rules));
  return {
    rules: rules.map((rule) =>
      renamed({ ...contentOf(rule), isActive: rule.isActive }, ({ kind, id }) => names.nameOf(kind, id)),
    ),
  };
}

const unknownName: Record<Reference['kind'], IssueKey> = {
  mailbox: 'not_a_mailbox',
  member: 'not_a_member',
  team: 'not_a_team',
  contact: 'not_a_contact',
  savedReply: 'not_a_saved_reply',
  webhook: 'not_a_webhook',
  calendar: 'not_a_calendar',
};

/** Rules of a file with the ids of what they name. Throws 400 with each name that leads nowhere, or to several. */
export async function readBundle(db: Queryable, actor: Actor, rules: readonly BundledRule[]): Promise<BundledRule[]> {
  const names = await readNames(db, actor, contactsIn(rules));
  const issues: GivenIssue[] = [];
  const read = rules.map((rule, index) =>
    renamed(rule, ({ kind, id: name, path }) => {
      const id = names.idOf(kind, name);
      if (id === undefined) issues.push({ path: `body.rules.${index}.${path}`, key: unknownName[kind] });
      return id ?? name;
    }),
  );
  if (issues.length > 0) throw invalidRequest(...issues);
  return read;
}

function contactsIn(rules: readonly BundledRule[]): string[] {
  return rules.flatMap((rule) => referencesOf(rule).flatMap(({ kind, id }) => (kind === 'contact' ? [id] : [])));
}

/** A copy of the rule with other texts where it refers to something. */
function renamed(rule: BundledRule, to: (reference: Reference) => string): BundledRule {
  const copy = structuredClone(rule);
  for (const reference of referencesOf(rule)) {
    const steps = reference.path.split('.');
    const last = steps.pop() ?? '';
    // The path is one of the rule itself.
    const holder = steps.reduce<Record<string, unknown>>((part, step) => part[step] as typeof part, copy as never);
    holder[last] = to(reference);
  }
  return copy;
}
