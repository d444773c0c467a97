import type { WhenAnswered } from '../compose/when-answered.ts';
import type { Fields } from '../session/use-fields.ts';
import { ChoiceField } from '../ui/Choice.tsx';
import { words } from '../words/words.ts';
import { Section } from './Section.tsx';

/** What replies do while nobody has chosen. */
export const noRule: WhenAnswered = { assign: 'never', status: 'keep' };

type Props = {
  rule: WhenAnswered | null;
  /** Whether null stands for the rule of the workspace. */
  mayInherit?: boolean;
};

/** Chooses what a reply does with its ticket. */
export function AnsweredSection({ rule, mayInherit = false }: Props) {
  const inherited = mayInherit ? [['', words('answered.inherit')] as const] : [];
  return (
    <Section title={words('answered.title')} hint={words('answered.hint')}>
      <ChoiceField
        label={words('answered.assign')}
        name="assign"
        defaultValue={rule?.assign ?? ''}
        options={[
          ...inherited,
          ...(['unassigned', 'always', 'never'] as const).map(
            (each) => [each, words(`answered.assign.${each}`)] as const,
          ),
        ]}
      />
      <ChoiceField
        label={words('answered.status')}
        name="status"
        defaultValue={rule?.status ?? ''}
        options={[
          ...inherited,
          ['keep', words('answered.status.keep')],
          ...(['pending', 'closed'] as const).map((each) => [each, words(`status.${each}`)] as const),
        ]}
      />
    </Section>
  );
}

/** The chosen rule. What the form leaves to the workspace is as the workspace has it now; all of it is null. */
export function ruleOf({ assign, status }: Fields, ofWorkspace: WhenAnswered): WhenAnswered | null {
  if (!assign && !status) return null;
  // The form offers only these words.
  return { assign: assign || ofWorkspace.assign, status: status || ofWorkspace.status } as WhenAnswered;
}
