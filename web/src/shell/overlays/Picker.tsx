import fuzzysort from 'fuzzysort';
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
  Text,
} from 'react-aria-components';
import { words } from '../../words/words.ts';
import styles from './Picker.module.css';

export type Choice = {
  id: string;
  /** What the person's words are compared with, and what is shown. */
  text: string;
  /** Said beside it: keys, times, addresses. */
  detail?: string;
  /** Compared as well, but not shown. */
  also?: string;
  isChosen?: boolean;
  mark?: ReactNode;
  run: () => void;
};

export type ChoiceGroup = { name: string; choices: readonly Choice[] };

type Props = {
  label: string;
  placeholder: string;
  groups: readonly ChoiceGroup[];
  /** Choices that the words themselves make, like a time; shown first. */
  ofWords?: (text: string) => readonly Choice[];
  onWords?: (text: string) => void;
  /** Choices go on being offered, so that more than one can be made. */
  isMany?: boolean;
};

const shownMax = 60;

/** A field and the choices that its words find, by arrow keys, ⏎ and pointer. */
export function Picker({ label, placeholder, groups, ofWords, onWords, isMany = false }: Props) {
  const [text, setText] = useState('');
  const found = useMemo(() => findIn(groups, text, ofWords), [groups, text, ofWords]);
  const write = (next: string) => {
    setText(next);
    onWords?.(next);
  };
  const choose = (id: unknown) => {
    found
      .flatMap(({ choices }) => choices)
      .find((choice) => choice.id === id)
      ?.run();
    if (isMany) write('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Before an arrow key or a letter has moved to a choice, ⏎ means the first one.
    const isAtNone = !event.currentTarget.getAttribute('aria-activedescendant');
    const first = found[0]?.choices[0];
    if (event.key === 'Enter' && isAtNone && first !== undefined) choose(first.id);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={write}>
      <SearchField aria-label={label} className={styles.field ?? ''}>
        <Input autoFocus placeholder={placeholder} onKeyDown={onKeyDown} className={styles.input ?? ''} />
      </SearchField>
      <Menu
        aria-label={label}
        items={found.map((group) => ({ ...group, id: group.name }))}
        className={styles.menu ?? ''}
        selectionMode="none"
        onAction={choose}
        renderEmptyState={() => <p className={styles.nothing}>{words('picker.nothing')}</p>}
      >
        {({ name, choices }) => (
          <MenuSection id={name} className={styles.section ?? ''}>
            <Header className={styles.header ?? ''}>{name}</Header>
            <Collection items={choices}>{(choice) => <Row choice={choice} />}</Collection>
          </MenuSection>
        )}
      </Menu>
    </Autocomplete>
  );
}

function Row({ choice: { id, text, detail, isChosen, mark } }: { choice: Choice }) {
  return (
    <MenuItem id={id} textValue={text} className={styles.item ?? ''}>
      {mark}
      <Text slot="label" className={styles.text ?? ''}>
        {text}
        {isChosen === true && <span className="visually-hidden"> ({words('picker.chosen')})</span>}
      </Text>
      {detail !== undefined && (
        <Text slot="description" className={styles.detail ?? ''}>
          {detail}
        </Text>
      )}
      {isChosen === true && <span aria-hidden="true">✓</span>}
    </MenuItem>
  );
}

function findIn(groups: readonly ChoiceGroup[], text: string, ofWords: Props['ofWords']): ChoiceGroup[] {
  const asked = text.trim();
  const made = asked === '' ? [] : (ofWords?.(asked) ?? []);
  const found = groups.map(({ name, choices }) => ({ name, choices: matching(choices, asked) }));
  return [{ name: words('picker.words'), choices: made }, ...found].filter(({ choices }) => choices.length > 0);
}

function matching(choices: readonly Choice[], asked: string): readonly Choice[] {
  if (asked === '') return choices.slice(0, shownMax);
  const keys = ['text', 'detail', 'also'];
  return fuzzysort.go(asked, choices, { keys, limit: shownMax, threshold: 0.3 }).map(({ obj }) => obj);
}
