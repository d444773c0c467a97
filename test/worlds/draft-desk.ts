import { vi } from 'vitest';
import { ApiError } from '../../web/src/api/client.ts';
import { DraftKeeper } from '../../web/src/compose/draft/draft-keeper.ts';
import type { DraftStore } from '../../web/src/compose/draft/lost-saves.ts';
import type { Draft } from '../../web/src/compose/queries.ts';

/** Stubs the storage that the tabs of a browser share. */
export function stubStorage(): void {
  const kept: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => {
      kept[key] = value;
    },
    removeItem: (key: string) => {
      delete kept[key];
    },
  };
  // A script sees the stored names as the storage's own.
  vi.stubGlobal('localStorage', Object.setPrototypeOf(kept, methods));
}

const refusal = (status: number, key: string, params: Record<string, unknown> = {}) =>
  new ApiError(new Response(null, { status }), { key, params, fallbackMessage: key });

/** Stores one draft as the service does, and may lose requests or answers. */
export class Desk {
  draft: Draft | null = null;
  loses: 'nothing' | 'request' | 'answer' = 'nothing';
  puts = 0;
  store: DraftStore = {
    put: async ({ files, ...content }, { version }) => {
      this.puts++;
      return this.#travel(() => {
        const kept = this.draft;
        if (kept === null && version > 0) throw refusal(404, 'draft.not_found');
        if (kept !== null && kept.body !== content.body && kept.version !== version)
          throw refusal(409, 'draft.newer', { draft: kept });
        if (kept?.body === content.body) return kept;
        this.draft = { id: 'd', version: version + 1, attachments: files, ...content } as unknown as Draft;
        return this.draft;
      });
    },
    remove: () =>
      this.#travel(() => {
        this.draft = null;
      }),
  };

  async #travel<T>(act: () => T): Promise<T> {
    await new Promise((done) => setTimeout(done, 20));
    if (this.loses === 'request') throw new TypeError('network');
    const answer = act();
    await new Promise((done) => setTimeout(done, 20));
    if (this.loses === 'answer') throw new TypeError('network');
    return answer;
  }
}

/** Opens the draft in a tab of its own. */
export function openOn(desk: Desk, key: string = crypto.randomUUID()): DraftKeeper {
  const keeper = new DraftKeeper(desk.store, key, crypto.randomUUID());
  keeper.load(desk.draft);
  return keeper;
}
