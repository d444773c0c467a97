import { type CommandId, keysOf } from '../../commands.ts';
import { keyWords } from '../../lib/keys.ts';
import type { TicketChange } from '../../tickets/ticket-change.ts';
import type { Properties } from '../overlay.ts';

export type PickerProps = { tickets: readonly Properties[]; onChange: (change: TicketChange) => void };

/** The first keys of a command, as people read them. */
export function pickerKeys(id: CommandId): string | undefined {
  const [key] = keysOf(id);
  return key === undefined ? undefined : keyWords(key);
}
