import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, type KeyboardEvent, type Ref, useDeferredValue, useId, useRef, useState } from 'react';
import { addressesIn, isAddress, isSameAddress, withAddresses } from '../../lib/addresses.ts';
import { suggestedContactsQuery } from '../../people/contacts.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Avatar } from '../../ui/Avatar.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './AddressField.module.css';
import { Suggestions, suggestionId } from './Suggestions.tsx';

type Props = {
  label: string;
  addresses: readonly string[];
  onChange: (addresses: string[]) => void;
  /** The known name of the person at an address. */
  nameOf: (address: string) => string | undefined;
  inputRef?: Ref<HTMLInputElement> | undefined;
  opens?: 'up' | 'down';
};

/** A field of addresses: chips, and suggestions of contacts that match the typed text. */
export function AddressField({ label, addresses, onChange, nameOf, inputRef, opens = 'up' }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { offered, index, isShown, choose, inputProps } = useTypedAddress(addresses, onChange);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the chips focuses the input
    // biome-ignore lint/a11y/useKeyWithClickEvents: Tab reaches the input itself
    <div className={styles.field} onClick={(event) => event.target === event.currentTarget && input.current?.focus()}>
      <label htmlFor={id}>{label}</label>
      {addresses.map((address) => (
        <Chip
          key={address}
          address={address}
          name={nameOf(address)}
          onRemove={() => {
            onChange(addresses.filter((one) => one !== address));
            input.current?.focus();
          }}
        />
      ))}
      <input
        className="bare-field"
        ref={(element) => {
          input.current = element;
          if (typeof inputRef === 'function') inputRef(element);
          else if (inputRef != null) inputRef.current = element;
        }}
        id={id}
        type="text"
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        role="combobox"
        aria-expanded={isShown}
        aria-autocomplete="list"
        aria-controls={isShown ? `${id}-list` : undefined}
        aria-activedescendant={isShown ? suggestionId(`${id}-list`, index) : undefined}
        {...inputProps}
      />
      {isShown && (
        <Suggestions
          id={`${id}-list`}
          label={words('compose.people')}
          items={offered}
          index={index}
          onChoose={choose}
          opens={opens}
        />
      )}
    </div>
  );
}

/** The typed text, the contacts that it matches, and the keys that add addresses or choose a contact. */
function useTypedAddress(addresses: readonly string[], onChange: Props['onChange']) {
  const { workspace } = usePlace();
  const [typed, setTyped] = useState('');
  const [index, setIndex] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const wanted = useDeferredValue(typed.trim());
  const found = useQuery({ ...suggestedContactsQuery(workspace.id, wanted), enabled: wanted !== '' }).data ?? [];
  const offered = found.filter(({ key }) => !addresses.some((one) => isSameAddress(one, key)));
  const isShown = isOpen && typed.trim() !== '' && offered.length > 0;

  const add = (text: string) => {
    onChange(withAddresses(addresses, addressesIn(text)));
    setTyped('');
    setIsOpen(false);
    setIndex(0);
  };
  const choose = (place: number) => {
    const suggestion = offered[place];
    if (suggestion !== undefined) add(suggestion.key);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key } = event;
    if (event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return;
    if (isShown && (key === 'ArrowDown' || key === 'ArrowUp')) {
      setIndex((index + (key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length);
    } else if (isShown && key === 'Escape') {
      setIsOpen(false);
      event.stopPropagation();
    } else if (isShown && (key === 'Enter' || key === 'Tab') && !isAddress(typed.trim())) choose(index);
    else if (typed.trim() !== '' && /^(?:Enter|Tab|[,;])$/.test(key)) {
      add(typed);
      // Tab adds the address and still moves on to the next field.
      if (key === 'Tab') return;
    } else if (typed === '' && key === 'Backspace') onChange(addresses.slice(0, -1));
    else return;
    event.preventDefault();
  };
  return {
    offered,
    index,
    isShown,
    choose,
    inputProps: {
      value: typed,
      onChange: ({ target }) => {
        setTyped(target.value);
        setIndex(0);
        setIsOpen(true);
      },
      onPaste: (event) => {
        const pasted = event.clipboardData.getData('text/plain');
        if (!pasted.includes('@')) return;
        event.preventDefault();
        add(typed + pasted);
      },
      onKeyDown,
      onBlur: () => (typed.trim() === '' ? setIsOpen(false) : add(typed)),
    } satisfies ComponentProps<'input'>,
  };
}

type ChipProps = { address: string; name: string | undefined; onRemove: () => void };

function Chip({ address, name, onRemove }: ChipProps) {
  const isWrong = !isAddress(address);
  return (
    <span
      dir="auto"
      className={styles.chip}
      data-wrong={isWrong}
      title={isWrong ? words('compose.noAddress') : address}
    >
      <Avatar size={20} name={name ?? address} of={address} />
      <span className="cut" dir="auto">
        {name ?? address}
      </span>
      {isWrong && <span className="visually-hidden">{words('compose.noAddress')}</span>}
      <button type="button" aria-label={words('compose.remove', { name: address })} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}
