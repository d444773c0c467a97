import type { operations } from '../../api/schema.d.ts';
import { Choice } from '../../ui/Choice.tsx';
import { words } from '../../words/words.ts';

type Rendered = operations['renderSavedReply']['responses'][200]['content']['application/json'];
type Variable = Rendered['missing'][number]['variable'];

/**
 * Each variable, and the words in its place if it has no value. tsc fails if a variable is missing here or in the
 * words.
 */
const variables: Record<Variable, 'savedReplies.there' | undefined> = {
  'contact.firstName': 'savedReplies.there',
  'contact.name': undefined,
  'contact.email': undefined,
  'ticket.number': undefined,
  'ticket.subject': undefined,
  'ticket.url': undefined,
  'agent.firstName': undefined,
  'agent.name': undefined,
  'agent.email': undefined,
  'mailbox.name': undefined,
  'mailbox.address': undefined,
  'workspace.name': undefined,
  today: undefined,
};

/** Puts a variable into the text. */
export function VariableMenu({ onChoose }: { onChoose: (text: string) => void }) {
  const choose = (name: Variable) => {
    const standIn = variables[name];
    onChoose(standIn === undefined ? `{{ ${name} }}` : `{{ ${name} | default: "${words(standIn)}" }}`);
  };
  return (
    <Choice
      aria-label={words('savedReplies.variable')}
      value=""
      options={(Object.keys(variables) as (Variable | '')[]).map((name) => [
        name,
        words(`savedReplies.variable.${name as Variable}`),
      ])}
      onChoose={(name) => choose(name as Variable)} // the empty choice cannot be chosen
    >
      <option value="" disabled>
        {words('savedReplies.variable')}
      </option>
    </Choice>
  );
}
