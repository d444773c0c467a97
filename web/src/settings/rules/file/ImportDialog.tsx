import { useMutation } from '@tanstack/react-query';
import { usePlace } from '../../../session/Guard.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Fault } from '../../../ui/Fault.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { showToast } from '../../../ui/toast.ts';
import { words } from '../../../words/words.ts';
import { refreshRules } from '../queries.ts';
import styles from './RuleFile.module.css';
import { type Checked, type FileFault, type Replaced, replaceRules } from './rule-file.ts';

type Props = {
  fileName: string;
  /** Undefined while the service checks the file. */
  checked: Checked | undefined;
  error: Error | null;
  onClose: () => void;
};

/** What a file would change, for the person to confirm, or what it names and the workspace does not have. */
export function ImportDialog({ fileName, checked, error, onClose }: Props) {
  return (
    <Dialog title={words('rules.file.title', { name: fileName })} onClose={onClose} className={styles.dialog}>
      <p role="status">{checked === undefined && error === null && words('loading')}</p>
      {error !== null && <Fault error={error} />}
      {checked !== undefined && 'faults' in checked && <Faults fileName={fileName} faults={checked.faults} />}
      {checked !== undefined && 'plan' in checked && <Plan {...checked} onClose={onClose} />}
    </Dialog>
  );
}

function Faults({ fileName, faults }: { fileName: string; faults: readonly FileFault[] }) {
  if (faults.length === 0)
    return (
      <Notice tone="bad" role="alert">
        {words('rules.file.unreadable', { name: fileName })}
      </Notice>
    );
  return (
    <>
      <Notice tone="bad" role="alert">
        {words('rules.file.faults')}
      </Notice>
      <ul className={styles.names} aria-label={words('rules.file.faultList')}>
        {faults.map(({ rule, text }) => (
          <li key={`${rule} ${text}`}>
            <b dir="auto">{rule}</b>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const kinds = ['created', 'changed', 'removed'] as const;

type PlanProps = Extract<Checked, { plan: Replaced }> & { onClose: () => void };

function Plan({ body, plan, onClose }: PlanProps) {
  const { workspace } = usePlace();
  const importing = useMutation({
    mutationFn: () => replaceRules(workspace.id, body),
    onSuccess: async () => {
      showToast(words('rules.file.done'));
      await refreshRules(workspace.id);
      onClose();
    },
  });
  const told = kinds.filter((kind) => plan[kind].length > 0);
  const isSame = told.length === 0 && plan.order === 'kept';
  return (
    <>
      {isSame && <p>{words('rules.file.same')}</p>}
      {told.map((kind) => (
        <section key={kind} aria-label={words(`rules.file.${kind}`, { count: plan[kind].length })}>
          <h3>{words(`rules.file.${kind}`, { count: plan[kind].length })}</h3>
          <ul className={styles.names}>
            {plan[kind].map((name) => (
              <li key={name} dir="auto">
                {name}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {plan.removed.length > 0 && <Notice tone="warn">{words('rules.file.removes')}</Notice>}
      {plan.order === 'changed' && <p>{words('rules.file.order')}</p>}
      {plan.unchanged.length > 0 && !isSame && <p>{words('rules.file.unchanged', { count: plan.unchanged.length })}</p>}
      {importing.error !== null && <Fault error={importing.error} />}
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          {words('rules.cancel')}
        </Button>
        {!isSame && (
          <Button
            look={plan.removed.length > 0 ? 'danger' : 'primary'}
            disabled={importing.isPending}
            onClick={() => importing.mutate()}
          >
            {words(plan.removed.length > 0 ? 'rules.file.doAndDelete' : 'rules.file.do')}
          </Button>
        )}
      </div>
    </>
  );
}
