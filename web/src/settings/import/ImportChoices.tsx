import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { fileSize } from '../../lib/file-size.ts';
import { configQuery } from '../../session/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { type WordKey, words } from '../../words/words.ts';
import styles from './Import.module.css';
import { filesMax, type ImportStatus, importStatuses } from './imports.ts';

/** `own` names addresses of the team, in one line. */
export type Choice = { status: ImportStatus; own: string };

type Props = {
  files: readonly File[];
  choice: Choice;
  onChange: (choice: Choice) => void;
  onClear: () => void;
};

/** The chosen files, what to make of their mails, and the button that begins. */
export function ImportChoices({ files, choice, onChange, onClear }: Props) {
  const id = useId();
  const tooMuch = useTooMuch(files);
  const options = importStatuses.map((one) => [one, words(`import.status.${one}` as WordKey)] as const);
  return (
    <>
      <Chosen files={files} onClear={onClear} />
      <div>
        <p>{words('import.status')}</p>
        <Choices
          name={`${id}status`}
          label={words('import.status')}
          options={options}
          value={choice.status}
          onChoose={(status) => onChange({ ...choice, status })}
        />
      </div>
      <Field
        label={words('import.own')}
        value={choice.own}
        placeholder={words('import.ownExample')}
        autoComplete="off"
        maxLength={5_000}
        help={words('import.ownHint')}
        onChange={({ target }) => onChange({ ...choice, own: target.value })}
      />
      {tooMuch !== undefined && <p role="alert">{tooMuch}</p>}
      <Button type="submit" look="primary" disabled={tooMuch !== undefined}>
        {words('import.start')}
      </Button>
    </>
  );
}

const namesShown = 10;

function Chosen({ files, onClear }: Pick<Props, 'files' | 'onClear'>) {
  const names = files.slice(0, namesShown).map(({ name }) => name);
  const more = files.length - names.length;
  return (
    <div className={styles.chosen}>
      <p role="status">
        <b>{words('import.chosen', { count: files.length, size: fileSize(bytesOf(files)) })}</b> {names.join(', ')}
        {more > 0 && ` ${words('import.more', { count: more })}`}
      </p>
      <Button onClick={onClear}>{words('import.clear')}</Button>
    </div>
  );
}

const bytesOf = (files: readonly File[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Why the files cannot be taken at once; undefined when they can. */
function useTooMuch(files: readonly File[]): string | undefined {
  const bytesMax = useQuery(configQuery).data?.importBytesMax ?? Number.POSITIVE_INFINITY;
  if (files.length > filesMax) return words('import.tooMany', { count: filesMax });
  return bytesOf(files) > bytesMax ? words('import.tooLarge', { max: fileSize(bytesMax) }) : undefined;
}
