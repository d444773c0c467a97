import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { AppError, type GivenIssue, invalidRequest } from '../../../ground/lib/errors.ts';
import type { Issue } from '../../../ground/lib/issues.ts';
import { nameKey } from '../../../ground/lib/text.ts';
import { checkRule } from '../check-rule.ts';
import {
  activateRule,
  contentOf,
  createRule,
  deleteRule,
  lockRules,
  orderRules,
  pauseRule,
  updateRule,
} from '../keep-rule.ts';
import type { Rule } from '../schema.ts';
import { readBundle } from './bundle.ts';
import type { BundledRule, Replaced, ReplaceRules } from './schema.ts';

/**
 * Makes the rules of the workspace those of a file. Rules of the same name are the same rule, which keeps its runs.
 * Throws the errors of single rules with their place in the file.
 * @param dryRun whether to undo it all at the end
 */
export async function replaceRules(
  tx: Tx,
  actor: Actor,
  { dryRun, ...input }: ReplaceRules & { dryRun: boolean },
): Promise<Replaced> {
  if (!dryRun) return replaceAll(tx, actor, input);
  let replaced: Replaced | undefined;
  const undo = new Error('a dry run');
  const work = async () => {
    replaced = await replaceAll(tx, actor, input);
    throw undo;
  };
  await tx.savepoint(work).catch((error) => {
    if (error !== undo) throw error;
  });
  if (replaced === undefined) throw new Error('the dry run found nothing out');
  return replaced;
}

async function replaceAll(tx: Tx, actor: Actor, { rules: given, confirm }: ReplaceRules): Promise<Replaced> {
  const complete = given.map((rule) => ({ ...optional, ...rule }));
  checkAll(complete);
  const before = await lockRules(tx, actor.workspaceId);
  const rules = await readBundle(tx, actor, complete);
  const known = new Map(before.map((rule) => [nameKey(rule.name), rule]));
  const kept = new Set(rules.map(({ name }) => nameKey(name)));
  const removed = before.filter(({ name }) => !kept.has(nameKey(name)));
  for (const { id: ruleId } of removed) await deleteRule(tx, actor, { ruleId });
  const replaced: Replaced = {
    ...{ created: [], changed: [], unchanged: [] },
    removed: removed.map(({ name }) => name),
    order: 'kept',
  };
  const ids: string[] = [];
  for (const [index, rule] of rules.entries()) {
    const former = known.get(nameKey(rule.name));
    const { id, version, isActive } = await inFile(index, () => keep(tx, actor, { rule, former, confirm }));
    ids.push(id);
    const isSame = former?.version === version && former.isActive === isActive;
    replaced[former === undefined ? 'created' : isSame ? 'unchanged' : 'changed'].push(rule.name);
  }
  const isThere = new Set(ids);
  const former = before.flatMap(({ id }) => (isThere.has(id) ? [id] : []));
  const wasThere = new Set(former);
  if (ids.filter((id) => wasThere.has(id)).some((id, place) => id !== former[place])) replaced.order = 'changed';
  await orderRules(tx, actor, ids);
  return replaced;
}

/** What a file may leave out. */
const optional = { conditions: null, onRules: false, stopAfter: false, isActive: false };

type Kept = { rule: BundledRule; former: Rule | undefined; confirm: boolean | undefined };

async function keep(tx: Tx, actor: Actor, { rule, former, confirm }: Kept): Promise<Rule> {
  const confirmed = confirm === undefined ? {} : { confirm };
  if (former === undefined) return createRule(tx, actor, { ...rule, ...confirmed });
  const ruleId = former.id;
  // What pauses first may say anything; what runs on must be confirmed before it does.
  if (former.isActive && !rule.isActive) await pauseRule(tx, actor, { ruleId });
  const changed = await updateRule(tx, actor, { ...contentOf(rule), ...confirmed, ruleId, ifMatch: undefined });
  return rule.isActive && !former.isActive ? activateRule(tx, actor, { ruleId, confirm }) : changed;
}

/** Throws 400 with the issues of all rules. */
function checkAll(rules: readonly BundledRule[]): void {
  const seen = new Set<string>();
  const issues = rules.flatMap((rule, index): GivenIssue[] => {
    const key = nameKey(rule.name);
    const repeated = seen.has(key) ? [{ path: `body.rules.${index}.name`, key: 'repeated' } as const] : [];
    seen.add(key);
    return [...repeated, ...issuesOf(rule, index)];
  });
  if (issues.length > 0) throw invalidRequest(...issues);
}

function issuesOf(rule: BundledRule, index: number): GivenIssue[] {
  try {
    checkRule(rule);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return ((error.params.issues ?? []) as Issue[]).map((issue) => ({ ...issue, path: placed(issue.path, index) }));
  }
}

/** Gives errors about a rule its place in the file. */
async function inFile<Result>(index: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { issues, path, ...params } = error.params as { issues?: Issue[]; path?: string };
    throw new AppError(error.key, {
      ...params,
      ...(issues && { issues: issues.map((issue) => ({ ...issue, path: placed(issue.path, index) })) }),
      ...(issues === undefined && { path: placed(path ?? 'body', index) }),
    });
  }
}

const placed = (path: string, index: number): string => path.replace(/^body/, `body.rules.${index}`);
