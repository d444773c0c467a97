import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { etagOf, ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { createSurvey, deleteSurvey, updateSurvey } from './keep-survey.ts';
import { getSurvey, listSurveys } from './queries.ts';
import { createSurveyBody, surveyParams, surveySchema, updateSurveyBody } from './schema.ts';

const workspace = inWorkspace('surveys');

export function surveyRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/surveys', {
    id: 'listSurveys',
    summary: 'List the surveys of a workspace',
    can: 'ticket.read',
    answers: { 200: Type.Array(surveySchema) },
    handler: ({ actor: { workspaceId } }) => listSurveys(db, workspaceId),
  });

  workspace.get(server, '/surveys/:surveyId', {
    id: 'readSurvey',
    summary: 'Read a survey',
    can: 'ticket.read',
    errors: ['survey.not_found'],
    params: surveyParams,
    answers: { 200: surveySchema },
    handler: async ({ actor: { workspaceId }, params: { surveyId } }, reply) => {
      const found = await getSurvey(db, { workspaceId, surveyId });
      reply.header('etag', etagOf(found.version));
      return found;
    },
  });

  workspace.post(server, '/surveys', {
    id: 'createSurvey',
    summary: 'Ask customers how satisfied they are',
    description: 'It is switched off unless `isActive` says otherwise. A mailbox has one of each kind at most.',
    can: 'rule.manage',
    errors: ['survey.exists', 'survey.too_many'],
    body: createSurveyBody,
    answers: { 201: surveySchema },
    inTx: async (tx, { actor, body }) => {
      const made = await createSurvey(tx, actor, body);
      return answer(made, { etag: made.version });
    },
  });

  workspace.patch(server, '/surveys/:surveyId', {
    id: 'updateSurvey',
    summary: 'Change a survey, or switch it on or off',
    description: 'What was asked before stays as it was asked.',
    can: 'rule.manage',
    errors: ['survey.not_found', 'survey.exists', 'survey.version_mismatch'],
    params: surveyParams,
    body: updateSurveyBody,
    answers: { 200: surveySchema },
    inTx: async (tx, request) => {
      const { actor, params, body } = request;
      const input = { ...body, surveyId: params.surveyId, ifMatch: ifMatchOf(request) };
      const changed = await updateSurvey(tx, actor, input);
      return answer(changed, { etag: changed.version });
    },
  });

  workspace.delete(server, '/surveys/:surveyId', {
    id: 'deleteSurvey',
    summary: 'Delete a survey',
    description: 'What customers answered stays, and what was asked may still be answered.',
    can: 'rule.manage',
    errors: ['survey.not_found'],
    params: surveyParams,
    answers: { 204: Type.Null({ description: 'The survey is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteSurvey(tx, actor, params),
  });
}
