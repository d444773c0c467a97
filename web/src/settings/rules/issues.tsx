import { createContext, type ReactNode, useContext } from 'react';
import { ApiError } from '../../api/client.ts';
import { type Issue, issueWords, words } from '../../words/words.ts';
import styles from './rules.module.css';

/** A fault of a part of the rule, in words. The path is that in the rule: `conditions.all.0.message.from`. */
type Fault = { path: string; text: string };

const Faults = createContext<readonly Fault[]>([]);

/** What the API refused in the rule that is edited below. */
export function IssuesOf({ error, children }: { error: Error | null; children: ReactNode }) {
  return <Faults value={faultsOf(error)}>{children}</Faults>;
}

function faultsOf(error: Error | null): readonly Fault[] {
  if (!(error instanceof ApiError)) return [];
  const { issues = [], path } = error.params as { issues?: Issue[]; path?: string };
  const inRule = (written: string) => written.replace(/^body\./, '');
  if (error.key === 'rule.refers_to_missing') return [{ path: inRule(path ?? ''), text: words('rules.missing') }];
  return issues.map((issue) => ({ path: inRule(issue.path), text: issueWords(issue) }));
}

const isAt = (path: string, at: string) => path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`);

/** The faults of one part of the rule, beside it. */
export function FieldIssues({ at }: { at: string }) {
  const faults = useContext(Faults).filter(({ path }) => isAt(path, at));
  if (faults.length === 0) return null;
  return (
    <p className={styles.issue} role="alert">
      {[...new Set(faults.map(({ text }) => text))].join('; ')}
    </p>
  );
}

/** Whether the parts of an editor show all that was refused. */
export function areShownBeside(error: Error, parts: readonly string[]): boolean {
  const faults = faultsOf(error);
  return faults.length > 0 && faults.every(({ path }) => parts.some((part) => isAt(path, part)));
}
