import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { usePlace } from '../../../session/Guard.tsx';
import { Action } from '../../../ui/Action.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { words } from '../../../words/words.ts';
import { Section } from '../../Section.tsx';
import { ImportDialog } from './ImportDialog.tsx';
import styles from './RuleFile.module.css';
import { checkRuleFile, writeRuleFile } from './rule-file.ts';

/** Takes the rules out as a file, and makes them those of a file. */
export function RuleFile() {
  const { workspace } = usePlace();
  const input = useRef<HTMLInputElement>(null);
  const check = useMutation({ mutationFn: (file: File) => checkRuleFile(workspace.id, file) });
  return (
    <>
      <Section title={words('rules.file')} hint={words('rules.file.hint')}>
        <div className={styles.tools}>
          <Action run={() => writeRuleFile(workspace.id).then(saveFile)}>
            <Icon name="download" />
            {words('rules.file.export')}
          </Action>
          <Button onClick={() => input.current?.click()}>
            <Icon name="upload" />
            {words('rules.file.import')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            accept=".json,application/json"
            aria-label={words('rules.file.import')}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file !== undefined) check.mutate(file);
              // The same file may be chosen again once it is corrected.
              target.value = '';
            }}
          />
        </div>
      </Section>
      {(check.isPending || check.error !== null || check.data !== undefined) && (
        <ImportDialog
          fileName={check.variables?.name ?? ''}
          checked={check.data}
          error={check.error}
          onClose={check.reset}
        />
      )}
    </>
  );
}

function saveFile(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = 'rules.json';
  link.click();
  URL.revokeObjectURL(link.href);
}
