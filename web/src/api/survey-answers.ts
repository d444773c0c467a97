import { queryOptions } from '@tanstack/react-query';
import { inWorkspace } from './client.ts';
import type { operations } from './schema.d.ts';

type Query = NonNullable<operations['listSurveyAnswers']['parameters']['query']>;

/** What customers answered, the newest first. Each new event of a ticket reads those of the ticket anew. */
export function surveyAnswersQuery(workspaceId: string, query: Query, eventCount = 0) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'survey-answers', query, eventCount],
    queryFn: () => inWorkspace(workspaceId).GET('/survey-answers', { query }),
  });
}

/** The best score of each scale. */
export const bestScore = { two: 2, three: 3, five: 5 } as const;
