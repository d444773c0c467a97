import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { etagOf, ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { ticketParams } from '../../helpdesk/tickets/schema.ts';
import { bundleRoutes } from './bundle/routes.ts';
import { activateRule, createRule, deleteRule, orderRules, pauseRule, updateRule } from './keep-rule.ts';
import { previewRoutes } from './preview/routes.ts';
import { getRule, listRules } from './queries.ts';
import { listRunsOfRule, listRunsOfTicket } from './runs.ts';
import {
  activateRuleBody,
  createRuleBody,
  listRunsQuery,
  orderRulesBody,
  ruleParams,
  ruleRunsPage,
  ruleSchema,
  updateRuleBody,
} from './schema.ts';

const workspace = inWorkspace('rules');

export function ruleRoutes(server: Server, app: App): void {
  bundleRoutes(server, app);
  previewRoutes(server, app);
  readRoutes(server, app);
  createRoute(server);
  changeRoutes(server);
  switchRoutes(server);
  runRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/rules', {
    id: 'listRules',
    summary: 'List the rules of a workspace in the order in which they run',
    can: 'ticket.read',
    answers: { 200: Type.Array(ruleSchema) },
    handler: ({ actor }) => listRules(db, actor.workspaceId),
  });

  workspace.get(server, '/rules/:ruleId', {
    id: 'readRule',
    summary: 'Read a rule',
    can: 'ticket.read',
    errors: ['rule.not_found'],
    params: ruleParams,
    answers: { 200: ruleSchema },
    handler: async ({ actor, params }, reply) => {
      const rule = await getRule(db, { workspaceId: actor.workspaceId, ruleId: params.ruleId });
      reply.header('etag', etagOf(rule.version));
      return rule;
    },
  });
}

const contentErrors = ['rule.name_taken', 'rule.refers_to_missing', 'rule.unconfirmed'] as const;

function createRoute(server: Server): void {
  workspace.post(server, '/rules', {
    id: 'createRule',
    summary: 'Make a rule at the end of the order',
    description: 'It is paused unless `isActive` says otherwise.',
    can: 'rule.manage',
    errors: ['rule.too_many', ...contentErrors],
    body: createRuleBody,
    answers: { 201: ruleSchema },
    inTx: async (tx, { actor, body }) => {
      const rule = await createRule(tx, actor, body);
      return answer(rule, { etag: rule.version });
    },
  });
}

function changeRoutes(server: Server): void {
  workspace.put(server, '/rules/order', {
    id: 'orderRules',
    summary: 'Put all rules in another order',
    can: 'rule.manage',
    errors: ['rule.order_changed'],
    body: orderRulesBody,
    answers: { 200: Type.Array(ruleSchema) },
    inTx: (tx, { actor, body }) => orderRules(tx, actor, body.ids),
  });

  workspace.patch(server, '/rules/:ruleId', {
    id: 'updateRule',
    summary: 'Change a rule',
    description: 'Each change makes a version. Null takes all conditions away.',
    can: 'rule.manage',
    errors: ['rule.not_found', 'rule.version_mismatch', ...contentErrors],
    params: ruleParams,
    body: updateRuleBody,
    answers: { 200: ruleSchema },
    inTx: async (tx, request) => {
      const { actor, params, body } = request;
      const rule = await updateRule(tx, actor, { ...body, ruleId: params.ruleId, ifMatch: ifMatchOf(request) });
      return answer(rule, { etag: rule.version });
    },
  });

  workspace.delete(server, '/rules/:ruleId', {
    id: 'deleteRule',
    summary: 'Delete a rule',
    description: 'Its runs stay for 90 days.',
    can: 'rule.manage',
    errors: ['rule.not_found'],
    params: ruleParams,
    answers: { 204: Type.Null({ description: 'The rule is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteRule(tx, actor, params),
  });
}

function switchRoutes(server: Server): void {
  workspace.post(server, '/rules/:ruleId/activate', {
    id: 'activateRule',
    summary: 'Let a rule run from now on',
    can: 'rule.manage',
    errors: ['rule.not_found', 'rule.refers_to_missing', 'rule.unconfirmed'],
    params: ruleParams,
    body: activateRuleBody,
    answers: { 200: ruleSchema },
    inTx: (tx, { actor, params, body }) => activateRule(tx, actor, { ...body, ruleId: params.ruleId }),
  });

  workspace.post(server, '/rules/:ruleId/pause', {
    id: 'pauseRule',
    summary: 'Pause a rule',
    can: 'rule.manage',
    errors: ['rule.not_found'],
    params: ruleParams,
    answers: { 200: ruleSchema },
    inTx: (tx, { actor, params }) => pauseRule(tx, actor, params),
  });
}

function runRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/rules/:ruleId/runs', {
    id: 'listRuleRuns',
    summary: 'List the runs of a rule of the last 90 days, newest first',
    description: 'On tickets that you see.',
    can: 'ticket.read',
    errors: ['rule.not_found'],
    params: ruleParams,
    query: listRunsQuery,
    answers: { 200: ruleRunsPage },
    handler: ({ actor, params, query }) => listRunsOfRule(db, actor, { ...pagingOf(query), ruleId: params.ruleId }),
  });

  workspace.get(server, '/tickets/:ticketId/rule-runs', {
    id: 'listRuleRunsOfTicket',
    summary: 'List what rules did with a ticket in the last 90 days, newest first',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketParams,
    query: listRunsQuery,
    answers: { 200: ruleRunsPage },
    handler: ({ actor, params, query }) =>
      listRunsOfTicket(db, actor, { ...pagingOf(query), ticketId: params.ticketId }),
  });
}

function pagingOf({ limit = 50, cursor }: Type.Static<typeof listRunsQuery>) {
  return { limit, ...(cursor !== undefined && { cursor }) };
}
