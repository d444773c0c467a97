/** A state that components follow with `useSyncExternalStore`. */
export class Watched<State extends object> {
  #state: State;
  #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  read = (): State => this.#state;

  get isShown(): boolean {
    return this.#listeners.size > 0;
  }

  protected show(patch: Partial<State>): void {
    this.#state = { ...this.#state, ...patch };
    for (const listener of this.#listeners) listener();
  }
}
