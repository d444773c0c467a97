/** What a part of the page does at a sign-out. */
type Part = {
  /** Saves what it has not saved yet. */
  save?: () => Promise<void>;
  forget: () => void;
};

const parts: Part[] = [];

/** Parts that load later call this as they load, so that a sign-out needs none that the page has not loaded. */
export function atSignOut(part: Part): void {
  parts.push(part);
}

export async function saveParts(): Promise<void> {
  await Promise.all(parts.map(({ save }) => save?.()));
}

export function forgetParts(): void {
  for (const { forget } of parts) forget();
}
