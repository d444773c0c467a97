import fuzzysort from 'fuzzysort';
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  SearchField,
} from 'react-aria-components';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './Picker.module.css';

export type Choice = {
  id: string;
  /** The shown text, which the typed words are compared with. */
  text: string;
  /** Shown beside the text: times, addresses. */
  detail?: string;
  /** Shown at the end, as keys of a keyboard. */
  keys?: string;
  /** Compared with the typed words as well, but not shown. */
  also?: string;
  isChosen?: boolean;
  /** Shown before the text. */
  mark?: ReactNode;
  run: () => void;
};

export type ChoiceGroup = { name: string; choices: readonly Choice[] };

type Props = {
  label: string;
  placeholder: string;
  groups: readonly ChoiceGroup[];
  /** Makes choices from the typed words, such as a time, or says why not. They come first unless `areWordsLast`. */
  ofWords?: (text: string) => readonly Choice[] | string;
  areWordsLast?: boolean;
  onWords?: (text: string) => void;
  /** The picker stays open after a choice, so that the person can make several. */
  isMany?: boolean;
  /** The keys of the picker's command, which the field shows. */
  keys?: string | undefined;
  /** Shown between the field and the list. */
  head?: ReactNode;
  /** Shown below the list. */
  foot?: ReactNode;
};

const shownMax = 40;

/** A search field and a list of matching choices, for arrow keys, ⏎ and pointer. */
export function Picker(props: Props) {
  const {
    label,
    placeholder,
    groups,
    ofWords,
    onWords,
    areWordsLast = false,
    isMany = false,
    keys,
    head,
    foot,
  } = props;
  const [text, setText] = useState('');
  const found = useMemo(() => findIn(groups, text, { ofWords, areWordsLast }), [groups, text, ofWords, areWordsLast]);
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
    // While no choice is active, ⏎ takes the first.
    const isAtNone = !event.currentTarget.getAttribute('aria-activedescendant');
    const first = found[0]?.choices[0];
    if (event.key === 'Enter' && isAtNone && first !== undefined) choose(first.id);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={write}>
      <SearchField aria-label={label} className={styles.field ?? ''}>
        <Icon name="search" />
        <Input
          role="combobox"
          aria-expanded
          aria-haspopup="listbox"
          // On touch the keyboard would cover the choices: it comes with a tap into the field.
          autoFocus={!isTouch()}
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          className={`bare-field ${styles.input}`}
        />
        {keys !== undefined && <Keys keys={keys} />}
      </SearchField>
      {head}
      <ListBox
        aria-label={label}
        items={found.map((group) => ({ ...group, id: group.name }))}
        className={styles.menu ?? ''}
        selectionMode="none"
        onAction={choose}
        renderEmptyState={() => <p className={styles.nothing}>{whyNothing(ofWords, text)}</p>}
      >
        {({ name, choices }) => (
          <ListBoxSection id={name} className={styles.section ?? ''}>
            <Header className={styles.header ?? ''}>{name}</Header>
            <Collection items={choices}>{(choice) => <Row choice={choice} />}</Collection>
          </ListBoxSection>
        )}
      </ListBox>
      {foot}
    </Autocomplete>
  );
}

function Row({ choice: { id, text, detail, keys, isChosen, mark } }: { choice: Choice }) {
  return (
    <ListBoxItem id={id} textValue={text} className={styles.item ?? ''}>
      {mark}
      <span className={styles.text} data-words dir="auto">
        {text}
        {isChosen === true && <span className="visually-hidden"> ({words('picker.chosen')})</span>}
      </span>
      {detail !== undefined && (
        <span className={styles.detail} dir="auto">
          {detail}
        </span>
      )}
      {isChosen === true && (
        <span className={styles.check}>
          <Icon name="check" />
        </span>
      )}
      {keys !== undefined && <Keys keys={keys} />}
    </ListBoxItem>
  );
}

/** Keys in the words of `keyWords`, each as a cap. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {keys.split(' ').map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence may have the same key twice, and never moves
        <kbd key={at}>{key}</kbd>
      ))}
    </span>
  );
}

const isTouch = () => window.matchMedia('(pointer: coarse)').matches;

type WordsOptions = { ofWords: Props['ofWords']; areWordsLast: boolean };

function findIn(groups: readonly ChoiceGroup[], text: string, { ofWords, areWordsLast }: WordsOptions): ChoiceGroup[] {
  const asked = text.trim();
  const told = asked === '' ? [] : (ofWords?.(asked) ?? []);
  const made = typeof told === 'string' ? [] : told;
  const found = groups.map(({ name, choices }) => ({ name, choices: matching(choices, asked) }));
  const own = { name: words('picker.words'), choices: made };
  return (areWordsLast ? [...found, own] : [own, ...found]).filter(({ choices }) => choices.length > 0);
}

function whyNothing(ofWords: Props['ofWords'], text: string): string {
  const told = text.trim() === '' ? undefined : ofWords?.(text.trim());
  return typeof told === 'string' ? told : words('picker.nothing');
}

function matching(choices: readonly Choice[], asked: string): readonly Choice[] {
  if (asked === '') return choices.slice(0, shownMax);
  const keys = ['text', 'detail', 'also'];
  return fuzzysort.go(asked, choices, { keys, limit: shownMax, threshold: 0.3 }).map(({ obj }) => obj);
}
