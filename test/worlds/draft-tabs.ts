import { ApiError } from '../../web/src/api/client.ts';
import { allBuffered } from '../../web/src/compose/draft/draft-buffer.ts';
import type { DraftContent } from '../../web/src/compose/draft/draft-content.ts';
import { DraftKeeper } from '../../web/src/compose/draft/draft-keeper.ts';
import { evenIfGone, isSeen, type Seen } from '../../web/src/compose/draft/lost-saves.ts';
import type { Draft } from '../../web/src/compose/queries.ts';
import { untilAnswered } from '../../web/src/compose/until-answered.ts';

/** What happens to one request. */
export type Fate = { loses: 'nothing' | 'request' | 'answer'; thereMs: number; backMs: number };

const refusal = (status: number, key: string, params: Record<string, unknown> = {}) =>
  new ApiError(new Response(null, { status }), { key, params, fallbackMessage: key });
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** The service, the browsers' storage and the network of one draft that several tabs write. */
export class DraftWorld {
  draft: Draft | null = null;
  /** The words that were sent. */
  sent = new Set<string>();
  /** Words that a person gave up: cleared, or not chosen in a conflict. */
  dropped = new Set<string>();
  /** Words that a person kept in a conflict, or that a tab still had to save when another sent them. */
  kept = new Set<string>();
  typed = new Set<string>();
  fates: Fate[] = [];
  /** Whether a change reaches the other tabs, which then read the draft again. */
  isTold = true;
  tabs: Tab[] = [];
  #answers = new Map<string, ApiError | undefined>();
  #begun = new Set<string>();

  put({ files, ...content }: DraftContent, seen: Seen, beginKey: string): Draft {
    const { draft } = this;
    if (draft?.body === content.body) return draft;
    this.#refuseUnseen(seen);
    if (draft === null && (seen.version > 0 || this.#begun.has(beginKey))) throw refusal(404, 'draft.not_found');
    if (draft === null) this.#begun.add(beginKey);
    const id = draft?.id ?? `d${this.#begun.size}`;
    this.draft = { ...content, id, version: seen.version + 1, attachments: files } as unknown as Draft;
    return this.draft;
  }

  remove(seen: Seen): void {
    this.#refuseUnseen(seen);
    if (this.draft === null) throw refusal(404, 'draft.not_found');
    this.draft = null;
  }

  #refuseUnseen(seen: Seen): void {
    const { draft } = this;
    if (draft !== null && !isSeen(draft, seen)) throw refusal(409, 'draft.newer', { draft });
  }

  /** Sends as the service does: a repeated request gets the first answer, if that was not a refusal. */
  send(
    tab: Tab,
    body: string,
    { draftId, draftVersion = 0 }: { draftId?: string; draftVersion?: number },
    key: string,
  ): void {
    if (this.#answers.has(key)) return;
    if (draftId !== undefined) {
      if (this.draft?.id !== draftId) throw refusal(404, 'draft.not_found');
      this.remove({ draftId, version: draftVersion });
    }
    this.#answers.set(key, undefined);
    const others = allBuffered().filter((one) => one.tab !== tab.id);
    for (const word of wordsOf(body)) {
      this.sent.add(word);
      const hasLeft = others.some((one) => localStorage.getItem(`kontor.draft ${one.key} ${one.tab}`)?.includes(word));
      const writes = this.tabs.some((one) => one !== tab && one.typed.has(word) && !one.keeper.isIdle);
      if (hasLeft || writes) this.kept.add(word);
    }
  }

  /** Stubs what the browser tells of its tabs. */
  get locks() {
    return { query: async () => ({ held: this.tabs.map(({ id }) => ({ name: `kontor.tab ${id}` })) }) };
  }

  tell(from: Tab): void {
    if (!this.isTold) return;
    for (const tab of this.tabs) if (tab !== from) void tab.read();
  }

  /** What is lost, and what came back. */
  faults(): { lost: string[]; returned: string[] } {
    const there = new Set(wordsOf(this.draft?.body ?? ''));
    return {
      lost: [...this.typed].filter((word) => !there.has(word) && !this.sent.has(word) && !this.dropped.has(word)),
      returned: [...there].filter((word) => this.sent.has(word) && !this.kept.has(word)),
    };
  }
}

let tabCount = 0;

/** A tab that shows the draft, with the person before it. */
export class Tab {
  id = `tab${++tabCount}`;
  keeper: DraftKeeper;
  isDead = false;
  isSending = false;
  typed = new Set<string>();
  #world: DraftWorld;
  #reads = 0;

  constructor(world: DraftWorld, machine: string) {
    this.#world = world;
    const store = {
      put: (content: DraftContent, seen: Seen, _: boolean, beginKey: string) =>
        this.#change(() => world.put(content, seen, beginKey)),
      remove: (seen: Seen) => evenIfGone(this.#change(() => world.remove(seen))),
    };
    this.keeper = new DraftKeeper(store, machine, this.id);
    world.tabs.push(this);
    void this.#readFirst();
  }

  async #readFirst(): Promise<void> {
    while (!(await this.read())) await pause(5_000);
  }

  /** @returns whether the service has answered, and no save has overtaken its answer */
  async read(): Promise<boolean> {
    const reads = ++this.#reads;
    const draft = await this.#travel(() => this.#world.draft).catch(() => undefined);
    if (draft === undefined || reads !== this.#reads) return reads !== this.#reads && this.keeper.isIdle;
    this.keeper.load(draft);
    return true;
  }

  type(word: string): void {
    const { body } = this.keeper.read().content;
    this.#world.typed.add(word);
    this.typed.add(word);
    this.keeper.change({ body: body === '' ? word : `${body} ${word}` });
  }

  clear(): void {
    this.#drop(this.keeper.read().content.body);
    this.keeper.change({ body: '' });
  }

  resolve(choice: 'mine' | 'other' | 'both'): void {
    const { state, content, other } = this.keeper.read();
    if (state !== 'conflict') return;
    if (choice === 'mine') this.#drop(other?.body ?? '', content.body);
    if (choice === 'other') this.#drop(content.body, other?.body);
    for (const word of wordsOf(`${content.body} ${other?.body ?? ''}`)) this.#world.kept.add(word);
    this.keeper.resolve(choice);
  }

  /** @param isRefused whether the service refuses the text, for instance because of a newer message */
  async send(isRefused: boolean): Promise<void> {
    const { keeper } = this;
    const { content, state } = keeper.read();
    if (content.body.trim() === '' || state === 'conflict' || this.isSending) return;
    this.isSending = true;
    keeper.beginSend();
    const key = crypto.randomUUID();
    try {
      await untilAnswered<void>(async () => {
        // A dead tab repeats nothing.
        if (this.isDead) return new Promise(() => {});
        const draft = await keeper.draftOfSent();
        await this.#change(() => {
          if (isRefused) throw refusal(409, 'ticket.newer_message');
          this.#world.send(this, content.body, draft, key);
        });
      });
      keeper.endSend();
    } catch (error) {
      keeper.refuseSend(content, error);
    }
    this.isSending = false;
  }

  die(): void {
    this.isDead = true;
    this.keeper.close();
    this.#world.tabs = this.#world.tabs.filter((tab) => tab !== this);
  }

  #drop(text: string, exceptText = ''): void {
    const kept = new Set(wordsOf(exceptText));
    for (const word of wordsOf(text)) if (!kept.has(word)) this.#world.dropped.add(word);
  }

  async #change<T>(act: () => T): Promise<T> {
    const answer = await this.#travel(act);
    this.#reads++;
    this.#world.tell(this);
    return answer;
  }

  /** A request of a dead tab may still arrive, but its answer never does. */
  async #travel<T>(act: () => T): Promise<T> {
    const { loses, thereMs, backMs } = this.#world.fates.shift() ?? { loses: 'nothing', thereMs: 10, backMs: 10 };
    if (this.isDead) return new Promise(() => {});
    await pause(thereMs);
    const outcome = loses === 'request' ? undefined : attempt(act);
    await pause(backMs);
    if (this.isDead) return new Promise(() => {});
    if (outcome === undefined || loses === 'answer') throw new TypeError('network');
    return outcome();
  }
}

function attempt<T>(act: () => T): () => T {
  try {
    const result = act();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
