import type { Browser } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { randomOf } from '../../harness/random.ts';
import { sharedBrowser } from '../../pages/browser.ts';
import { BrowserAgent } from '../../pages/browser-agent.ts';
import { password } from '../../pages/web-pages.ts';
import { givePassword, makeMember, makeOwner, type Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
/** 1,000 steps by hand: `AGENT_STEPS=1000 AGENT_SEED=2 vitest run test/flows/inbox/web-two-agents.test.ts`. */
const steps = Number(process.env.AGENT_STEPS ?? 20);
const seed = Number(process.env.AGENT_SEED ?? 1);
const ticketCount = 5;
/** A save that failed often repeats after a minute, and the machine may be slow. */
const patientMs = 120_000;
const everything = '/?status=open&status=pending&status=closed';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

type Random = () => number;
type Agent = BrowserAgent & { person: Person };

async function arrive(person: Person, name: string, list: string): Promise<Agent> {
  const context = await browser.newContext({ baseURL: house.url });
  context.setDefaultTimeout(patientMs);
  onTestFinished(() => context.close());
  const { email } = await givePassword(house, person, password);
  const data = { provider: 'local', transport: 'cookie', email, password };
  const answer = await context.request.post('/v1/auth/session', { data, headers: { origin: house.url } });
  expect(answer.status()).toBe(200);
  const agent = Object.assign(new BrowserAgent(name, context, list), { person });
  await agent.network.open();
  await agent.arrive();
  return agent;
}

type Step = { weight: number; name: string; take: (agent: Agent, random: Random, at: number) => Promise<unknown> };

const kindOf = (random: Random) => (random() < 0.7 ? 'answer' : 'note');
const pickOne = <One>(random: Random, of: readonly One[]) => of[Math.floor(random() * of.length)] as One;

const whatAgentsDo: readonly Step[] = [
  { weight: 14, name: 'open', take: (agent, random) => agent.open(1 + Math.floor(random() * ticketCount)) },
  { weight: 24, name: 'write', take: (agent, random, at) => agent.write(kindOf(random), `${agent.name}-${at}-w`) },
  { weight: 12, name: 'send', take: (agent, random) => agent.send(kindOf(random), 'Control+Enter') },
  { weight: 2, name: 'send and close', take: (agent) => agent.send('answer', 'Control+Shift+Enter') },
  { weight: 2, name: 'answer or note', take: (agent, random) => agent.send(kindOf(random), 'Control+Shift+Period') },
  { weight: 4, name: 'send anyway', take: (agent) => agent.click('Send anyway') },
  { weight: 6, name: 'undo', take: (agent) => agent.command('z') },
  { weight: 5, name: 'close', take: (agent) => agent.command('e') },
  { weight: 5, name: 'reopen', take: (agent) => agent.command('Shift+E') },
  { weight: 3, name: 'assign to me', take: (agent) => agent.command('i') },
  { weight: 3, name: 'tag', take: (agent, random) => agent.pick('t', pickOne(random, ['urgent', 'billing', 'later'])) },
  { weight: 2, name: 'priority', take: (agent, random) => agent.pick('p', pickOne(random, ['urgent', 'low', 'high'])) },
  { weight: 3, name: 'snooze', take: (agent, random) => agent.pick('h', pickOne(random, ['2d', 'in 3 weeks'])) },
  { weight: 4, name: 'next', take: (agent, random) => agent.command(pickOne(random, ['j', 'k'])) },
  { weight: 4, name: 'reload', take: (agent) => agent.reload() },
  { weight: 4, name: 'die', take: (agent) => agent.die() },
];

const whatNetworksDo: readonly Step[] = [
  { weight: 10, name: 'faults', take: async (agent, random) => agent.network.plan(random) },
  { weight: 3, name: 'cut', take: (agent) => agent.network.cut() },
  { weight: 8, name: 'mend', take: (agent) => agent.network.mend() },
  // As when the service restarts: streams and open requests break off.
  { weight: 2, name: 'break', take: async () => house.server.server.closeAllConnections() },
];

function choose(random: Random, from: readonly Step[]): Step {
  let left = random() * from.reduce((sum, { weight }) => sum + weight, 0);
  for (const step of from) {
    left -= step.weight;
    if (left < 0) return step;
  }
  return from[0] as Step; // The list is never empty.
}

/** A loading page needs its service. */
const needsNetwork = ['reload', 'die'];

async function work(agents: readonly Agent[], random: Random): Promise<string[]> {
  const taken: string[] = [];
  for (let at = 1; at <= steps; at++) {
    const agent = pickOne(random, agents);
    const step = choose(random, random() < 0.8 ? whatAgentsDo : whatNetworksDo);
    if (needsNetwork.includes(step.name)) await agent.network.mend();
    const outcome = await step.take(agent, random, at);
    taken.push(`${at} ${agent.name} #${agent.openNumber ?? '-'} ${step.name}: ${outcome ?? ''}`);
  }
  return taken;
}

type Places = Map<string, string[]>;

/** The messages and drafts that contain each word, and apart from them the undone messages. */
async function placesOf(agents: readonly Agent[]): Promise<{ places: Places; undone: Places }> {
  const places: Places = new Map();
  const undone: Places = new Map();
  const note = (text: string, place: string, noted = places) => {
    for (const word of text.match(/\w+-\d+-w/g) ?? []) noted.set(word, [...(noted.get(word) ?? []), place]);
  };
  for (const ticket of await ticketsOf(agents)) {
    for (const { id, body, replyText, delivery } of ticket.messages)
      note(
        replyText ?? body,
        `#${ticket.ticketNumber} message ${id}`,
        delivery?.status === 'cancelled' ? undone : places,
      );
  }
  for (const { person, name } of agents)
    for (const { body, kind, ticketId } of (await person.call('GET', '/drafts?limit=100')).body.items)
      note(body, `${kind} draft of ${name} on ${ticketId}`);
  return { places, undone };
}

async function ticketsOf([agent]: readonly Agent[]): Promise<any[]> {
  const numbers = Array.from({ length: ticketCount }, (_, at) => at + 1);
  return Promise.all(
    numbers.map(async (number) => (await agent?.person.call('GET', `/tickets/number/${number}`))?.body),
  );
}

/** The differences between the list on the screen and the service. */
async function faultsOnScreen(agent: Agent, list: string): Promise<string[]> {
  const { rows, name, person } = agent;
  const wanted = (await person.call('GET', `/tickets${list.slice(1)}`)).body.map(rowWords);
  const shown = await rows.evaluateAll((all: any[]) =>
    all.map((row) => `${row.querySelector('a').getAttribute('href').match(/\d+/)[0]} ${row.textContent}`),
  );
  const faults =
    shown.map((text) => text.split(' ')[0]).join() === wanted.map((words: string[]) => words[0]).join()
      ? []
      : [`${name} lists ${shown.map((text) => text.split(' ')[0])}, not ${wanted.map((words: string[]) => words[0])}`];
  for (const [at, words] of wanted.entries())
    for (const word of words) if (!shown[at]?.includes(word)) faults.push(`${name}: no ${word} in row ${shown[at]}`);
  return faults;
}

function rowWords({ ticketNumber, status, tags, messageCount }: any): string[] {
  return [
    String(ticketNumber),
    ...(status === 'open' ? [] : [status === 'closed' ? 'Closed' : 'Waiting on customer']),
    ...tags.slice(0, 2),
    ...(messageCount > 1 ? [String(messageCount)] : []),
  ];
}

/** The differences between the open ticket on the screen and the service. */
async function faultsInTicket(agent: Agent, ticket: any): Promise<string[]> {
  const { page, name } = agent;
  const shown = (await page.getByRole('article').first().textContent()) ?? '';
  const status = { open: 'Open', pending: 'Waiting on customer', closed: 'Closed' }[ticket.status as 'open'];
  const words = [status, ...ticket.tags, ...(ticket.snoozedUntil === null ? [] : ['Snoozed until'])];
  const sent = ticket.messages.flatMap(({ body, replyText }: any) => (replyText ?? body).match(/\w+-\d+-w/g) ?? []);
  const text = await page.evaluate('document.body.textContent');
  const alerts = await page.getByRole('alert').allInnerTexts();
  return [
    ...words.filter((word) => !shown.includes(word)).map((word) => `${name} #${ticket.ticketNumber}: no ${word}`),
    ...sent.filter((word: string) => !String(text).includes(word)).map((word: string) => `${name} sees no ${word}`),
    ...alerts.filter((alert) => /draft|Which text/.test(alert)).map((alert) => `${name} sees a question: ${alert}`),
  ];
}

test(`two agents lose and repeat nothing in ${steps} steps with faults, seed ${seed}`, {
  timeout: 4 * patientMs + steps * 10_000,
}, async () => {
  const owner = await makeOwner(house);
  const colleague = await makeMember(house, owner.workspaceId, 'agent', 'Ben');
  for (let at = 1; at <= ticketCount; at++)
    await ingest(house, owner, [mailOf({ headers: { Subject: `Ticket ${at}.` } })]);
  const lists = [everything, '/?status=open'];
  const agents = [await arrive(owner, 'ada', everything), await arrive(colleague, 'ben', '/?status=open')];
  for (const [at, agent] of agents.entries()) await agent.open(1 + at);
  const random = randomOf(seed);
  const taken = await work(agents, random);
  for (const { network } of agents) {
    await network.cut();
    await network.mend();
  }
  const written = agents.flatMap((agent) => agent.written.map((one) => ({ ...one, agent })));
  const settled = { timeout: patientMs, interval: 250 };
  const unplaced = async () => {
    const { places, undone } = await placesOf(agents);
    const wrong = written.filter(({ word }) => places.get(word)?.length !== 1);
    // A tab that dies during an undo leaves the text for the writer to restore.
    for (const { agent, word, ticketNumber, atMs } of wrong)
      if (!places.has(word) && undone.has(word) && atMs < agent.diedAtMs) await agent.restore(ticketNumber);
    const lost = async (agent: Agent, word: string) =>
      `lost, taken back in ${undone.get(word) ?? 'no message'}, kept in the browser: ${await agent.keptWith(word)}`;
    return Promise.all(
      wrong.map(
        async ({ agent, word, ticketNumber }) =>
          `#${ticketNumber} ${word}: ${places.get(word) ?? (await lost(agent, word))}`,
      ),
    );
  };
  await expect
    .poll(unplaced, settled)
    .toEqual([])
    .catch((error) => tell(error, taken));
  for (const [at, agent] of agents.entries())
    await expect
      .poll(() => faultsOnScreen(agent, lists[at] ?? ''), settled)
      .toEqual([])
      .catch((error) => tell(error, taken));
  for (const ticket of await ticketsOf(agents))
    for (const agent of agents)
      if (await agent.open(ticket.ticketNumber))
        await expect
          .poll(() => faultsInTicket(agent, ticket), settled)
          .toEqual([])
          .catch((error) => tell(error, taken));
  expect(agents.flatMap(({ complaints }) => complaints)).toEqual([]);
  house.clock.advance(60_000);
  const answers = (await ticketsOf(agents)).flatMap(({ messages }) =>
    messages.filter(
      ({ direction, isInternal, delivery }: any) =>
        direction === 'outbound' && !isInternal && delivery?.status !== 'cancelled',
    ),
  );
  const mailed = async () => {
    await house.drain();
    return (await house.outbox()).length;
  };
  await expect.poll(mailed, settled).toBe(answers.length);
});

/** Adds the steps to the error. */
function tell(error: unknown, taken: readonly string[]): never {
  const { message } = error as Error; // Matchers throw errors.
  throw new Error([message, ...taken].join('\n'), { cause: error });
}
