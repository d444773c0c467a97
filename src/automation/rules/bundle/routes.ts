import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { listRules } from '../queries.ts';
import { bundleOf } from './bundle.ts';
import { replaceRules } from './replace-rules.ts';
import { bundleSchema, replacedSchema, replaceRulesBody, replaceRulesQuery } from './schema.ts';

const workspace = inWorkspace('rules');

export function bundleRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/rules/bundle', {
    id: 'readRuleBundle',
    summary: 'Read all rules as one file, with names in place of ids',
    can: 'rule.manage',
    answers: { 200: bundleSchema },
    handler: async ({ actor }) => bundleOf(db, actor, await listRules(db, actor.workspaceId)),
  });

  workspace.put(server, '/rules/bundle', {
    id: 'replaceRules',
    summary: 'Make the rules of the workspace those of a file',
    description:
      'In one transaction. Rules that the file does not have are deleted, and one of the same name keeps its runs. ' +
      'A name that leads nowhere is 400, with its place in the file.',
    can: 'rule.manage',
    errors: ['rule.refers_to_missing', 'rule.unconfirmed'],
    query: replaceRulesQuery,
    body: replaceRulesBody,
    answers: { 200: replacedSchema },
    inTx: (tx, { actor, query, body }) => replaceRules(tx, actor, { ...body, dryRun: query.dryRun === true }),
  });
}
