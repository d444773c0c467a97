import { expect } from 'vitest';
import type { UserId } from '../../../src/ground/lib/ids.ts';
import { ingestMails, mailOf, sourceOf } from '../mails.ts';
import { aMember, aTeam, aTicket, done, pick, sees, type Walk, type WalkTicket, wholeTickets } from './model.ts';

/** More tickets would make a comparison slow, so two are merged before another comes. */
const wholeMax = 40;

/** Makes a random change. @returns what was done */
export function changeTeams(walk: Walk): Promise<string> {
  const ofTickets = [arrive, reply, move, move, assign, follow, unfollow, merge, unmerge];
  return pick(walk, [...ofTickets, join, leave, restrict, limit])(walk);
}

let mails = 0;

export async function arrive(walk: Walk): Promise<string> {
  const { house, owner, tickets } = walk;
  if (wholeTickets(walk).length > wholeMax) return mergeTwo(walk);
  const [mailboxId, team] = pick(walk, [...walk.mailboxes]);
  const id = `<walk-${++mails}@example.org>`;
  const content = mailOf({ headers: { 'Message-ID': id, Subject: `Mail ${mails}` }, body: 'pumpkin' });
  await ingestMails(house.app, { ...sourceOf(house, owner), mailboxId }, [content]);
  // Mail of a mailbox is due work.
  await house.drain();
  const listed = await done(owner, 'GET', '/tickets?sort=createdAt&limit=500');
  const made = listed.find((each: any) => each.id !== walk.beacon && !tickets.has(each.id));
  tickets.set(made.id, { team, assignee: null, followers: new Set(), mergedInto: null });
  return `a mail makes ${made.id}`;
}

async function reply(walk: Walk): Promise<string> {
  const [id] = aTicket(walk);
  await done(walk.owner, 'POST', `/tickets/${id}/messages`, { body: 'pumpkin', isInternal: true });
  return `a note on ${id}`;
}

async function join(walk: Walk): Promise<string> {
  const [[teamId, team], [userId]] = [aTeam(walk), aMember(walk)];
  await done(walk.owner, 'PUT', `/teams/${teamId}/members/${userId}`, {});
  team.members.add(userId);
  return `${userId} joins ${teamId}`;
}

async function leave(walk: Walk): Promise<string> {
  const [teamId, team] = aTeam(walk);
  const [userId] = team.members;
  if (userId === undefined) return join(walk);
  await done(walk.owner, 'DELETE', `/teams/${teamId}/members/${userId}`);
  team.members.delete(userId);
  return `${userId} leaves ${teamId}`;
}

/** Moves a ticket, as somebody who sees it. */
async function move(walk: Walk): Promise<string> {
  const [[id, ticket], [teamId]] = [aTicket(walk), aTeam(walk)];
  const to = walk.random(4) === 0 ? null : teamId;
  const movers = [...walk.members].filter(([, { person }]) => !person.email.startsWith('viewer'));
  const [userId, { person }] = pick(walk, movers);
  const answer = await person.call('PATCH', `/tickets/${id}`, { teamId: to });
  if (!sees(walk, ticket, userId)) {
    expect(answer.status).toBe(404);
    return `${userId} may not move ${id}`;
  }
  ticket.team = to;
  expect([answer.status, answer.body.isHidden ?? false]).toEqual([200, !sees(walk, ticket, userId)]);
  return `${userId} moves ${id} to ${to}`;
}

async function assign(walk: Walk): Promise<string> {
  const [[id, ticket], [userId]] = [aTicket(walk), aMember(walk)];
  const to = walk.random(3) === 0 ? null : userId;
  const answer = await walk.owner.call('PATCH', `/tickets/${id}`, { assigneeId: to });
  const isOutside = to !== null && ticket.assignee !== to && !ticket.followers.has(to) && isHiddenBy(walk, ticket, to);
  expect(answer.status).toBe(isOutside ? 409 : 200);
  if (!isOutside) ticket.assignee = to;
  return `${id} is assigned to ${to}`;
}

function isHiddenBy({ teams }: Walk, { team }: WalkTicket, userId: UserId): boolean {
  const found = team === null ? undefined : teams.get(team);
  return found?.isRestricted === true && !found.members.has(userId);
}

async function follow(walk: Walk): Promise<string> {
  const [[id, ticket], [userId]] = [aTicket(walk), aMember(walk)];
  await done(walk.owner, 'POST', `/tickets/${id}/followers`, { userId });
  ticket.followers.add(userId);
  return `${userId} follows ${id}`;
}

async function unfollow(walk: Walk): Promise<string> {
  const [id, ticket] = aTicket(walk);
  const [userId] = ticket.followers;
  if (userId === undefined) return follow(walk);
  await done(walk.owner, 'DELETE', `/tickets/${id}/followers/${userId}`);
  ticket.followers.delete(userId);
  return `${userId} follows ${id} no more`;
}

function merge(walk: Walk): Promise<string> {
  return walk.random(2) === 0 || wholeTickets(walk).length < 4 ? arrive(walk) : mergeTwo(walk);
}

async function mergeTwo(walk: Walk): Promise<string> {
  const [id, ticket] = aTicket(walk);
  const others = wholeTickets(walk).filter(([other]) => other !== id);
  const [targetTicketId, target] = pick(walk, others);
  await done(walk.owner, 'POST', `/tickets/${id}/merge`, { targetTicketId });
  ticket.mergedInto = targetTicketId;
  // Whoever follows the source goes along where their teams show them the target.
  const ofTeam = { ...target, assignee: null, followers: new Set<UserId>() };
  for (const userId of ticket.followers) if (sees(walk, ofTeam, userId)) target.followers.add(userId);
  return `${id} is merged into ${targetTicketId}`;
}

async function unmerge(walk: Walk): Promise<string> {
  const merged = [...walk.tickets].filter(([, { mergedInto }]) => mergedInto !== null);
  if (merged.length === 0) return merge(walk);
  const [id, ticket] = pick(walk, merged);
  await done(walk.owner, 'POST', `/tickets/${id}/unmerge`);
  ticket.mergedInto = null;
  return `${id} is whole again`;
}

async function restrict(walk: Walk): Promise<string> {
  const [id, team] = aTeam(walk);
  team.isRestricted = !team.isRestricted;
  const visibility = team.isRestricted ? 'members' : 'workspace';
  await done(walk.owner, 'PATCH', `/teams/${id}`, { visibility });
  return `${id} shows its tickets to ${visibility}`;
}

async function limit(walk: Walk): Promise<string> {
  const [userId, member] = aMember(walk);
  member.access = member.access === 'all' ? 'teams' : 'all';
  await done(walk.owner, 'PATCH', `/members/${userId}`, { access: member.access });
  return `${userId} sees ${member.access}`;
}
