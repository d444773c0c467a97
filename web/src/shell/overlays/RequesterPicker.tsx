import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { isAddress, isSameAddress } from '../../lib/addresses.ts';
import { suggestedContactsQuery } from '../../people/contacts.ts';
import { usePlace } from '../../session/Guard.tsx';
import { changeRequester } from '../../tickets/change-requester.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay, type Overlay } from '../overlay.ts';
import { type Choice, Picker } from './Picker.tsx';

/** Makes a contact, or a new address, the requester of a ticket. */
export function RequesterPicker({ tickets: [ticket] }: Extract<Overlay, { kind: 'requester' }>) {
  const { workspace } = usePlace();
  const [text, setText] = useState('');
  const sought = useDeferredValue(text.trim());
  const { data: found = [], isPlaceholderData: areOfEarlier } = useQuery(suggestedContactsQuery(workspace.id, sought));
  const choose = (email: string) => () => {
    closeOverlay();
    void changeRequester(workspace.id, ticket, email);
  };
  const choices = found.map(
    ({ key: email, text: name, detail }): Choice => ({
      id: email,
      text: name,
      ...(detail === undefined ? {} : { detail }),
      mark: <Avatar name={name} of={email} size={20} />,
      isChosen: email === ticket.requester?.email,
      // The service also finds parts of addresses, so its results match the text that it was asked for.
      ...(areOfEarlier ? {} : { also: sought }),
      run: choose(email),
    }),
  );
  const ofWords = (typed: string): Choice[] => {
    if (!isAddress(typed) || found.some(({ key }) => isSameAddress(key, typed))) return [];
    const made = { id: 'new', text: words('picker.newRequester', { email: typed }), mark: <Icon name="plus" /> };
    return [{ ...made, run: choose(typed) }];
  };
  return (
    <Picker
      label={words('command.requester')}
      placeholder={words('picker.requester')}
      ofWords={ofWords}
      onWords={setText}
      groups={[{ name: words('list.contacts'), choices }]}
    />
  );
}
