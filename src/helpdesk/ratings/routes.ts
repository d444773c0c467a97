import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { listSurveyAnswers } from './list-answers.ts';
import { surveyPageRoutes } from './page-routes.ts';
import { surveyAnswersPage, surveyAnswersQuery } from './schema.ts';

const workspace = inWorkspace('surveys');

export function ratingRoutes(server: Server, app: App): void {
  surveyPageRoutes(server, app);

  workspace.get(server, '/survey-answers', {
    id: 'listSurveyAnswers',
    summary: 'List what customers answered, the last that was asked first',
    description: 'Answers that a program may have given are listed with `doubt=true` alone, and count nowhere.',
    can: 'report.read',
    errors: ['report.members_not_shown'],
    query: surveyAnswersQuery,
    answers: { 200: surveyAnswersPage },
    handler: ({ actor, query }) => listSurveyAnswers(app.db, actor, query),
  });
}
