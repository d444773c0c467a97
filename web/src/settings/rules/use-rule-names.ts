import { useQuery } from '@tanstack/react-query';
import { useNames } from '../../people/use-names.ts';
import { savedRepliesQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { calendarsQuery } from '../../tickets/calendars.ts';
import { mailboxesQuery, membersQuery, teamsQuery } from '../../tickets/queries.ts';
import { words } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { webhooksQuery } from '../webhooks/webhooks.ts';
import type { ChoiceField } from './fields.ts';
import type { RuleNames } from './sentence.ts';

type Options = readonly (readonly [value: string, text: string])[];

/** What the records of the workspace offer to a rule. */
export type RuleOptions = {
  of: Record<ChoiceField, Options>;
  calendars: Options;
  replies: Options;
  webhooks: Options;
  /** Those who can be assigned or told. */
  people: Options;
  teams: Options;
};

type Known = {
  names: RuleNames;
  options: RuleOptions;
  /** Until the teams and calendars are known, a new rule would do without them. */
  isLoading: boolean;
};

/** The names of what the rules of the workspace mention, and what else they could mention. */
export function useRuleNames(): Known {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const teamsAnswer = useQuery(teamsQuery(workspace.id));
  const teams = (teamsAnswer.data ?? []).filter(({ archivedAt }) => archivedAt === null);
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const calendarsAnswer = useQuery(calendarsQuery(workspace.id));
  const calendars = (calendarsAnswer.data ?? []).map(({ id, name }) => [id, name] as const);
  const replies = (useQuery(savedRepliesQuery(workspace.id, '', 'name')).data ?? [])
    .filter(({ isShared }) => isShared)
    .map(({ id, name }) => [id, name] as const);
  const webhooks = (useQuery({ ...webhooksQuery(workspace.id), enabled: isManager }).data ?? []).map(
    ({ id, description, url }) => [id, description || url] as const,
  );
  const people = members
    .filter(({ role }) => role !== 'viewer')
    .map(({ userId, name, email }) => [userId, name ?? email] as const);
  const ofTeams = teams.map(({ id, name }) => [id, name] as const);
  const of = {
    status: (['open', 'pending', 'closed'] as const).map((one) => [one, words(`status.${one}`)] as const),
    verdict: (['pass', 'none', 'fail'] as const).map((one) => [one, words(`rules.verdict.${one}`)] as const),
    assignee: [['none', words('ticket.nobody')], ...people] as const,
    team: [['none', words('ticket.noTeam')], ...ofTeams] as const,
    mailbox: mailboxes.map(({ id, address }) => [id, address] as const),
  };
  return {
    names: {
      ...useNames(),
      calendar: nameIn(calendars),
      reply: nameIn(replies),
      webhook: nameIn(webhooks),
    },
    options: { of, calendars, replies, webhooks, people, teams: ofTeams },
    isLoading: teamsAnswer.isPending || calendarsAnswer.isPending,
  };
}

const nameIn = (options: Options) => (id: string) =>
  options.find(([known]) => known === id)?.[1] ?? words('rules.gone');
