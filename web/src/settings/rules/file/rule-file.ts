import { ApiError, inWorkspace } from '../../../api/client.ts';
import type { operations } from '../../../api/schema.d.ts';
import { type Issue, issueWords, whyWords, words } from '../../../words/words.ts';
import { whenConfirmed } from '../use-switch.ts';

type RuleFile = operations['replaceRules']['requestBody']['content']['application/json'];
export type Replaced = operations['replaceRules']['responses'][200]['content']['application/json'];

/** What is wrong with a rule of the file. */
export type FileFault = { rule: string; text: string };

/** What an import would do, or why it does nothing: with an empty list, the file has no rules at all. */
export type Checked = { body: RuleFile; plan: Replaced } | { faults: FileFault[] };

/** The rules of the workspace as the text of a file. */
export async function writeRuleFile(workspaceId: string): Promise<string> {
  return `${JSON.stringify(await inWorkspace(workspaceId).GET('/rules/bundle'), null, 2)}\n`;
}

/**
 * Asks the service what a file would change. Nothing is changed.
 * @returns undefined if its rules may mail everybody, and the person does not want that
 */
export async function checkRuleFile(workspaceId: string, file: File): Promise<Checked | undefined> {
  const read = readRuleFile(await file.text());
  if (read === undefined) return { faults: [] };
  try {
    return await whenConfirmed(async (confirmed) => {
      const body = { ...read, ...confirmed };
      return { body, plan: await replaceRules(workspaceId, body, true) };
    });
  } catch (error) {
    const faults = faultsOf(error, read);
    if (faults.length === 0) throw error;
    return { faults };
  }
}

export function replaceRules(workspaceId: string, body: RuleFile, dryRun = false): Promise<Replaced> {
  return inWorkspace(workspaceId).PUT('/rules/bundle', { query: dryRun ? { dryRun } : {}, body });
}

/** The service checks what the rules say. */
function readRuleFile(text: string): RuleFile | undefined {
  try {
    const { rules } = JSON.parse(text);
    return Array.isArray(rules) ? { rules } : undefined;
  } catch {
    return undefined;
  }
}

function faultsOf(error: unknown, file: RuleFile): FileFault[] {
  if (!(error instanceof ApiError)) return [];
  const { issues = [] } = error.params as { issues?: Issue[] };
  return issues.map((issue) => {
    const steps = issue.path.split('.').slice(1); // after `body`
    const rule = file.rules[Number(steps[1])]?.name;
    const name = steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], file);
    const isValue = issue.key.startsWith('not_a_') && typeof name === 'string';
    return {
      rule: typeof rule === 'string' ? rule : words('rules.file.nameless', { number: Number(steps[1]) + 1 }),
      text: isValue ? words('rules.file.name', { name, why: whyWords(issue) }) : issueWords(issue),
    };
  });
}
