import type { TicketWithMessages } from '../../api/client.ts';

/** @returns a function that gives the name of the person at an address, as the ticket knows it */
export function nameIn({ requester, messages }: TicketWithMessages) {
  const names = new Map<string, string>();
  for (const { author } of messages)
    if (author.email !== null && author.name !== null) names.set(author.email.toLowerCase(), author.name);
  if (requester !== null && requester.name !== null) names.set(requester.email.toLowerCase(), requester.name);
  return (address: string) => names.get(address.toLowerCase());
}
