import { sql } from '../../../src/ground/database/sql.ts';
import type { House } from '../../harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../factories.ts';
import { ingestMails, mailOf, sourceOf } from '../mails.ts';
import { makeRule } from '../rules.ts';
import { anyRule, type Dice, domains, priorities, statuses, tags, words } from './any-rules.ts';
import {
  type ModelFact,
  type ModelMessage,
  type ModelRule,
  type ModelTicket,
  openModel,
  type RulesModel,
} from './rules-model.ts';

/** No more of a round: a mailbox sends 200 automatic mails in an hour. */
const createsMax = 150;
const minuteMs = 60_000;
/** How long after the creation of a ticket the rules about time run. */
const timedMinutes = 30;

type StormOptions = { dice: Dice; rules: number; ourAddress: string };

/**
 * A workspace with random rules, in which random things happen. What must come of them is asked of the model: once all
 * facts are read, `check` compares every run and effect.
 */
export async function openRuleStorm(house: House, { dice, rules: count, ourAddress }: StormOptions) {
  const owner = await refreshed(house, await makeOwner(house));
  const { workspaceId } = owner;
  const [agent, leaver] = [
    await makeMember(house, workspaceId, 'agent'),
    await makeMember(house, workspaceId, 'agent'),
  ];
  const made = await makeRules(owner, { dice, count, assignees: [owner.userId, agent.userId, leaver.userId] });
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update members set removed_at = ${tx.now}
      where workspace_id = ${workspaceId} and user_id = ${leaver.userId}`),
  );
  const model = openModel(made, new Set([owner.userId, agent.userId]));
  const happen = openHappenings(house, owner, { dice, ourAddress, people: [owner.userId, agent.userId, null] });
  const check = openCheck(house, owner, model);
  const isOver = new Set<string>();
  return {
    ...{ owner, model, ...happen, ...check },
    /** What rules about time must have done by now. */
    fallDue: (): void => {
      const timed = made.filter(({ trigger }) => trigger.after !== undefined);
      const due = [...model.tickets].flatMap(([ticketId, { createdAt, isHidden }]) =>
        isHidden ? [] : timed.map((rule) => ({ rule, ticketId, createdAt, key: `${rule.id} ${ticketId}` })),
      );
      const sorted = due
        .filter(({ key }) => !isOver.has(key))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1));
      for (const { rule, ticketId, key } of sorted) {
        isOver.add(key);
        model.fall(rule, ticketId);
      }
    },
    passHour: (): void => {
      model.passHour();
      house.clock.advance(61 * minuteMs);
    },
    /** Rules that met limits on many tickets run again from now on, but for those that name who has left. */
    resume: async (): Promise<void> => {
      for (const id of model.paused) {
        const { status } = await owner.call('POST', `/rules/${id}/activate`, { confirm: true });
        if (status === 200) model.paused.delete(id);
      }
    },
  };
}

/** Time goes by, and tokens with it. */
async function refreshed(house: House, person: Person): Promise<Person> {
  const call: Person['call'] = (method, path, body, headers) =>
    person.call(method, path, body, { authorization: `Bearer ${house.app.tokens.sign(person)}`, ...headers });
  return { ...person, call };
}

/** Random rules, one that mails, and two about time. */
async function makeRules(
  owner: Person,
  { dice, count, assignees }: { dice: Dice; count: number; assignees: readonly string[] },
): Promise<ModelRule[]> {
  const reply = { name: 'Quote', body: 'We will send a quote.', isShared: true };
  const { id: savedReplyId } = (await owner.call('POST', '/saved-replies', reply)).body;
  const rules = Array.from({ length: count }, (_, index) => anyRule(dice, `R${index}`, assignees));
  const rest = { conditions: null, onRules: true, stopAfter: false };
  const mailing = {
    ...{ ...rest, name: 'Mail', trigger: { event: 'ticket.created', by: ['customer'] } },
    conditions: { any: [{ message: { subject: { has: ['quote', 'gear'] } } }] },
    actions: { reply: { savedReplyId, to: 'requester' }, addTags: ['mailed'] },
  };
  const timed = ['red', 'green'].map((tag) => ({
    ...{ ...rest, name: `Late ${tag}`, trigger: { after: `${timedMinutes}m`, since: 'created' as const } },
    conditions: { all: [{ ticket: { tags: [tag] } }] },
    actions: { removeTags: [tag], addTags: ['late'], note: `${tag} is late.` },
  }));
  const made: ModelRule[] = [];
  for (const rule of [...rules, mailing, ...timed]) made.push({ ...rule, id: (await makeRule(owner, rule)).id });
  return made;
}

type Happenings = { dice: Dice; ourAddress: string; people: readonly (string | null)[] };

function openHappenings(house: House, owner: Person, { dice, ourAddress, people }: Happenings) {
  const { below, pick } = dice;
  const mails: { id: string; from: string }[] = [];
  let count = 0;
  /** Letters alone: limits count addresses that differ in numbers as one. */
  const nextName = () => [...String(++count)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const body = () => `My ${pick(words)} and the ${pick(words)}s.`;
  const receive = (id: string, from: string, headers: Record<string, string>) => {
    const named = { From: `Ann <${from}>`, To: ourAddress, 'Message-ID': id, Subject: pick(words), ...headers };
    const source = { ...sourceOf(house, owner), envelope: { from, to: [ourAddress] } };
    return ingestMails(house.app, source, [mailOf({ headers: named, body: body() })]);
  };
  const create = async (): Promise<void> => {
    if (below(2) === 0) {
      const input = { subject: pick(words), body: body(), ...(below(2) === 0 && { requester: { email: 'd@c.test' } }) };
      const { status } = await owner.call('POST', '/tickets', input);
      if (status !== 201) throw new Error(`a ticket was refused: ${status}`);
      return;
    }
    const mail = { id: `<${nextName()}@x.example>`, from: `${nextName()}@${pick(domains)}` };
    await receive(mail.id, mail.from, below(4) === 0 ? { 'Auto-Submitted': 'auto-generated' } : {});
    mails.push(mail);
  };
  const change = async (id: string) => {
    const wanted = {
      ...(below(2) === 0 && { status: pick(statuses) }),
      ...(below(2) === 0 && { priority: pick(priorities) }),
      ...(below(2) === 0 && { addTags: [pick(tags)] }),
      ...(below(3) === 0 && { removeTags: [pick(tags)] }),
      ...(below(3) === 0 && { assigneeId: pick(people) }),
    };
    const moves = pick([{ spam: true }, { spam: false }, { trash: true }, { trash: false }]);
    const isMove = below(8) === 0 || Object.keys(wanted).length === 0;
    await owner.call('POST', '/tickets/bulk', { ids: [id], ...(isMove ? moves : wanted) });
  };
  return {
    /** New tickets, which nobody but rules changes before the next check. */
    creates: async (times: number): Promise<void> => {
      for (let time = 0; time < Math.min(times, createsMax); time++) await create();
    },
    /** What happens on the tickets that are there. Nothing reads facts meanwhile. */
    changes: async (ticketIds: readonly string[], times: number): Promise<void> => {
      for (let time = 0; time < times && ticketIds.length > 0; time++) {
        const mail = below(4) === 0 && mails.length > 0 ? pick(mails) : undefined;
        const id = `<${nextName()}@x.example>`;
        if (mail === undefined) await change(pick(ticketIds));
        else await receive(id, mail.from, { 'In-Reply-To': mail.id });
      }
    },
  };
}

type Row = {
  id: string;
  status: string;
  priority: string;
  tags: string[];
  assigneeId: string | null;
  isHidden: boolean;
  createdAt: string;
};

function openCheck(house: House, { workspaceId }: Person, model: RulesModel) {
  const { db } = house.app;
  let [read, from] = [{ transactionId: '0', id: '00000000-0000-0000-0000-000000000000' }, house.clock.now()];
  const effects = { events: 0, runs: 0, mails: 0 };
  const rows = () =>
    db.rows<Row>(sql`
      select t.id, t.status, t.priority, t.tags, t.assignee_id as "assigneeId",
        t.spam_at is not null or t.trashed_at is not null as "isHidden", t.created_at as "createdAt"
      from tickets t where t.workspace_id = ${workspaceId}`);
  const stateOf = ({ createdAt, id: _id, ...row }: Row) => ({ ...row, createdAt: Date.parse(createdAt) });
  return {
    effects,
    /** The tickets as people have left them, before anything reads the facts. */
    look: async (): Promise<string[]> => {
      const found = await rows();
      for (const row of found) model.tickets.set(row.id, stateOf(row));
      return found.map(({ id }) => id);
    },
    /** What differs between the model and what has happened since the last check. */
    check: async (): Promise<string[]> => {
      const facts = await readFacts(house, workspaceId, read);
      const messages = await readMessages(house, workspaceId);
      const now = await rows();
      for (const row of now) if (!model.tickets.has(row.id)) model.tickets.set(row.id, { ...stateOf(row), ...fresh });
      for (const fact of facts) {
        const { messageId } = fact.data as { messageId?: string };
        const isOf = (one: ModelMessage) =>
          fact.type === 'ticket.created' ? one.isFirst && one.ticketId === fact.ticketId : one.id === messageId;
        const isAdded = fact.type === 'ticket.created' || fact.type === 'message.added';
        const message = isAdded ? messages.find(isOf) : undefined;
        model.happen(fact, message && { ...message, isFirst: fact.type === 'ticket.created' });
        if (fact.cause?.kind === 'rule') effects.events++;
        if (fact.type === 'message.added' && fact.cause?.kind === 'rule' && fact.data.direction === 'outbound')
          effects.mails++;
      }
      read = facts.at(-1) ?? read;
      const wanted = model.takeRuns().map(({ on, ruleId, outcome, did }) => `${on} ${ruleId} ${outcome} ${did}`);
      const found = await readRuns(house, workspaceId, from);
      effects.runs += found.length;
      from = new Date(house.clock.now().getTime() + 1);
      const shown = (ticket: ModelTicket) => JSON.stringify({ ...ticket, tags: ticket.tags.toSorted() });
      const differs = now.filter((row) => {
        const [is, wanted] = [stateOf(row), model.tickets.get(row.id)];
        return shown(is) !== shown({ ...is, ...wanted });
      });
      return [
        ...model.faults(),
        ...differs.map((row) => `is ${JSON.stringify(row)}, not ${JSON.stringify(model.tickets.get(row.id))}`),
        ...differences(wanted, found),
      ];
    },
  };
}

const fresh = { status: 'open', priority: 'normal', tags: [], assigneeId: null, isHidden: false };

/** Of two lists: what the one lacks, and what it has too often. */
function differences(wanted: readonly string[], found: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of wanted) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) - 1);
  return [...counts].flatMap(([one, left]) => (left === 0 ? [] : [`run ${left > 0 ? 'missing' : 'too much'}: ${one}`]));
}

type Position = { transactionId: string; id: string };

function readFacts({ app: { db } }: House, workspaceId: string, after: Position): Promise<(ModelFact & Position)[]> {
  return db.rows(sql`
    select a.id, a.transaction_id::text as "transactionId", a.type, a.ticket_id as "ticketId",
      a.actor_type as "actorType", a.data, a.cause
    from activity a
    where a.workspace_id = ${workspaceId} and a.ticket_id is not null
      and (a.transaction_id, a.id) > (${after.transactionId}::xid8, ${after.id}::uuid)
    order by a.transaction_id, a.id`);
}

function readMessages({ app: { db } }: House, workspaceId: string): Promise<ModelMessage[]> {
  return db.rows(sql`
    select m.id, m.ticket_id as "ticketId", m.direction,
      case when m.automatic_kind is not null or m.author_type = 'system' then 'machine' else m.author_type end as by,
      coalesce(m.subject, t.subject) as subject, m.body, coalesce(m.author_email, '') as from,
      not exists (
        select from messages e where e.workspace_id = ${workspaceId} and e.ticket_id = m.ticket_id
          and (e.created_at, e.id) < (m.created_at, m.id)
      ) as "isFirst", exists (
        select from raw_mails r where r.workspace_id = ${workspaceId} and r.message_id = m.id
      ) as "isAnswerable"
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId}`);
}

async function readRuns({ app: { db } }: House, workspaceId: string, from: Date): Promise<string[]> {
  const runs = await db.rows<{ on: string; ruleId: string; outcome: string; did: string[] }>(sql`
    select coalesce(r.activity_id::text, 'time ' || r.ticket_id) as on, r.rule_id as "ruleId", r.outcome, r.did
    from rule_runs r where r.workspace_id = ${workspaceId} and r.created_at >= ${from}`);
  return runs.map(({ on, ruleId, outcome, did }) => `${on} ${ruleId} ${outcome} ${did}`);
}
