/**
 * What rules do, written from docs/rules.md alone and without SQL. It is asked what must happen on the facts of a
 * workspace in their final order, and to which ticket.
 */

type Condition = {
  ticket?: { status?: string[]; priority?: string; tags?: string[]; assignee?: string[] };
  message?: { subject?: { has: string[] }; body?: { matches: string }; fromDomain?: string[]; isFirst?: boolean };
  not?: boolean;
};
type Group = { all?: (Condition & Group)[]; any?: (Condition & Group)[] };

export type ModelRule = {
  id: string;
  name: string;
  trigger: { event?: string; direction?: string; by?: string[]; after?: string; since?: 'created' };
  conditions: Group | null;
  actions: {
    status?: string;
    priority?: string;
    assignee?: string;
    addTags?: string[];
    removeTags?: string[];
    note?: string;
    reply?: object;
  };
  onRules: boolean;
  stopAfter: boolean;
};

export type ModelTicket = {
  status: string;
  priority: string;
  tags: string[];
  assigneeId: string | null;
  /** In the trash, or spam. */
  isHidden: boolean;
  createdAt: number;
};

export type ModelMessage = {
  id: string;
  ticketId: string;
  direction: string;
  by: 'customer' | 'agent' | 'machine';
  subject: string;
  body: string;
  from: string;
  isFirst: boolean;
  /** Whether the gate lets a machine answer it. */
  isAnswerable: boolean;
};

export type ModelFact = {
  id: string;
  type: string;
  ticketId: string;
  actorType: string;
  data: Record<string, unknown>;
  cause: { kind: string; id: string | null; depth?: number } | null;
};

/** By what led to it, and the rule. */
export type ModelRun = { on: string; ruleId: string; outcome: string; did: string[] };

const runsAnHour = 20;
const ticketsAnHour = 10;
const depthMax = 3;

/** @param members the people to whom a rule can give tickets */
export function openModel(rules: readonly ModelRule[], members: ReadonlySet<string>) {
  const tickets = new Map<string, ModelTicket>();
  const paused = new Set<string>();
  /** In this hour. */
  const runsOfTicket = new Map<string, number>();
  const limited = new Map<string, Set<string>>();
  /** What rules have done, of which no fact has told yet. */
  const untold = new Map<string, number>();
  const faults: string[] = [];
  let runs: ModelRun[] = [];

  const tell = (ruleId: string, depth: number, ticketId: string, type: string, data: object) => {
    const key = keyOf({ type, ticketId, data: { ...data }, cause: { kind: 'rule', id: ruleId, depth } });
    untold.set(key, (untold.get(key) ?? 0) + 1);
  };

  /** @returns whether the rule is done with, and those behind it may go on */
  function run(rule: ModelRule, on: { key: string; ticketId: string; depth: number; message?: ModelMessage }): string {
    const { key, ticketId, depth } = on;
    const end = (outcome: string, did: string[] = []) => {
      runs.push({ on: key, ruleId: rule.id, outcome, did });
      return outcome;
    };
    if (depth > depthMax) return end('skipped_loop');
    const count = runsOfTicket.get(ticketId) ?? 0;
    if (count >= runsAnHour) {
      const met = limited.get(rule.id) ?? new Set();
      limited.set(rule.id, met.add(ticketId));
      if (met.size >= ticketsAnHour) paused.add(rule.id);
      return end('skipped_limit');
    }
    runsOfTicket.set(ticketId, count + 1);
    const { assignee } = rule.actions;
    if (assignee !== undefined && assignee !== 'none' && !members.has(assignee)) return end('failed');
    return end('done', act(rule, ticketId, depth, on.message));
  }

  function act({ id, actions }: ModelRule, ticketId: string, depth: number, message?: ModelMessage): string[] {
    const ticket = ticketOf(ticketId);
    const did: string[] = [];
    const happen = (type: string, data: object) => {
      did.push(type);
      tell(id, depth, ticketId, type, data);
    };
    const { assignee, priority, status, addTags = [], removeTags = [], note, reply } = actions;
    const assigneeId = assignee === 'none' ? null : (assignee ?? ticket.assigneeId);
    if (assigneeId !== ticket.assigneeId) happen('ticket.assigned', { from: ticket.assigneeId, to: assigneeId });
    if (priority !== undefined && priority !== ticket.priority)
      happen('ticket.priority_changed', { from: ticket.priority, to: priority });
    const kept = ticket.tags.filter((tag) => !removeTags.includes(tag));
    const tags = [...kept, ...addTags.filter((tag) => !kept.includes(tag))];
    const added = tags.filter((tag) => !ticket.tags.includes(tag));
    const removed = ticket.tags.filter((tag) => !tags.includes(tag));
    if (added.length + removed.length > 0) happen('ticket.tagged', { added, removed });
    if (status !== undefined && status !== ticket.status)
      happen('ticket.status_changed', { from: ticket.status, to: status, reason: null });
    tickets.set(ticketId, {
      ...ticket,
      ...{ assigneeId, tags, priority: priority ?? ticket.priority, status: status ?? ticket.status },
    });
    if (reply !== undefined) {
      const mails = message?.isAnswerable === true;
      if (mails) tell(id, depth, ticketId, 'message.added', { direction: 'outbound' });
      did.push(mails ? 'reply' : 'no mail: not_live');
    }
    if (note !== undefined) {
      tell(id, depth, ticketId, 'message.added', { direction: 'internal' });
      did.push('note');
    }
    return did;
  }

  const ticketOf = (id: string): ModelTicket => {
    const ticket = tickets.get(id);
    if (ticket === undefined) throw new Error(`nobody told of ticket ${id}`);
    return ticket;
  };

  return {
    rules,
    paused,
    tickets,
    /** An hour has gone by: limits count anew. */
    passHour: () => {
      runsOfTicket.clear();
      limited.clear();
    },
    /** A fact in the final order, and the message of which it tells. */
    happen: (fact: ModelFact, message: ModelMessage | undefined): void => {
      const depth = fact.cause?.kind === 'rule' ? (fact.cause.depth ?? 0) : 0;
      if (depth > 0) {
        const key = keyOf(fact);
        const left = untold.get(key) ?? 0;
        if (left === 0) faults.push(`nothing led to ${key}`);
        untold.set(key, left - 1);
      }
      for (const rule of rules) {
        if (paused.has(rule.id) || !triggers(rule, fact, message)) continue;
        if (depth > 0 && (!rule.onRules || fact.cause?.id === rule.id)) continue;
        const ticket = ticketOf(fact.ticketId);
        if (ticket.isHidden || !holds(rule.conditions, ticket, message)) continue;
        const outcome = run(rule, {
          ...{ key: fact.id, ticketId: fact.ticketId, depth: depth + 1 },
          ...(message !== undefined && { message }),
        });
        if (outcome === 'done' && rule.stopAfter) break;
      }
    },
    /** The time of a rule has come on a ticket. */
    fall: (rule: ModelRule, ticketId: string): void => {
      const ticket = ticketOf(ticketId);
      if (holds(rule.conditions, ticket, undefined)) run(rule, { key: `time ${ticketId}`, ticketId, depth: 1 });
    },
    /** The runs since it was last asked. */
    takeRuns: (): ModelRun[] => {
      const taken = runs;
      runs = [];
      return taken;
    },
    /** Effects without a cause, and those that are missing. */
    faults: (): string[] => [
      ...faults,
      ...[...untold].flatMap(([key, left]) => (left > 0 ? [`${left} missing: ${key}`] : [])),
    ],
  };
}

export type RulesModel = ReturnType<typeof openModel>;

/**
 * Which effect of a rule a fact tells. Ids of messages are left out, because nobody knows them before, and so is the
 * order of tags, which nothing promises.
 */
function keyOf({ type, ticketId, data, cause }: Pick<ModelFact, 'type' | 'ticketId' | 'data' | 'cause'>): string {
  const { messageId: _messageId, ...known } = data;
  const entries = Object.entries(known).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ]);
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([ticketId, type, cause?.id, cause?.depth, sorted]);
}

function triggers({ trigger }: ModelRule, fact: ModelFact, message: ModelMessage | undefined): boolean {
  const { event, direction, by } = trigger;
  const isAdded = event === 'message.added' && fact.type === 'ticket.created' && message !== undefined;
  if (event !== fact.type && !isAdded) return false;
  if (direction !== undefined && direction !== message?.direction) return false;
  const person = fact.actorType === 'customer' || fact.actorType === 'agent' ? fact.actorType : 'machine';
  const author = message?.by ?? person;
  const authors = by ?? (event === 'message.added' ? ['customer', 'agent'] : undefined);
  return authors === undefined || authors.includes(author);
}

function holds(group: Group | null, ticket: ModelTicket, message: ModelMessage | undefined): boolean {
  if (group === null) return true;
  const each = (term: Condition & Group): boolean => {
    if (term.all !== undefined || term.any !== undefined) return holds(term, ticket, message);
    const answer = term.ticket ? ticketIs(term.ticket, ticket) : messageIs(term.message ?? {}, message);
    return answer !== (term.not === true);
  };
  return group.all === undefined ? (group.any ?? []).some(each) : group.all.every(each);
}

function ticketIs(asked: NonNullable<Condition['ticket']>, ticket: ModelTicket): boolean {
  const { status, priority, tags, assignee } = asked;
  return (
    (status?.includes(ticket.status) ?? true) &&
    (priority === undefined || priority === ticket.priority) &&
    (tags?.every((tag) => ticket.tags.includes(tag)) ?? true) &&
    (assignee?.includes(ticket.assigneeId ?? 'none') ?? true)
  );
}

function messageIs(asked: NonNullable<Condition['message']>, message: ModelMessage | undefined): boolean {
  if (message === undefined) return false;
  const { subject, body, fromDomain, isFirst } = asked;
  const has = (text: string, words: string[]) => words.some((word) => text.toLowerCase().includes(word.toLowerCase()));
  if (subject !== undefined) return has(message.subject, subject.has);
  if (body !== undefined) return new RegExp(body.matches).test(message.body);
  if (fromDomain !== undefined) return fromDomain.some((domain) => message.from.endsWith(`@${domain}`));
  return isFirst === message.isFirst;
}
