import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { previewRule } from './preview.ts';
import { previewRuleBody, previewSchema } from './schema.ts';

const workspace = inWorkspace('rules');

export function previewRoutes(server: Server, { db }: App): void {
  workspace.post(server, '/rules/preview', {
    id: 'previewRule',
    summary: 'Show what a rule would have done with the last events of its trigger',
    description:
      'On tickets that you see, each as it was at the event. What cannot be rebuilt is unknown, and never guessed. ' +
      'Writes nothing.',
    can: 'rule.manage',
    errors: ['rule.refers_to_missing'],
    body: previewRuleBody,
    answers: { 200: previewSchema },
    handler: ({ actor, body }) => previewRule(db, actor, body),
  });
}
