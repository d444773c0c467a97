import type { Ticket } from '../../api/client.ts';
import type { TicketChange } from '../../tickets/ticket-change.ts';

export type PickerProps = { tickets: readonly Ticket[]; onChange: (change: TicketChange) => void };
