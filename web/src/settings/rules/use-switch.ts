import { ApiError, inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { useAction } from '../../ui/Action.tsx';
import { words } from '../../words/words.ts';
import { refreshRules } from './queries.ts';
import type { Rule } from './rule.ts';

/** Turns a rule on and off. */
export function useSwitch(rule: Rule) {
  const { workspace } = usePlace();
  const here = inWorkspace(workspace.id);
  const path = { ruleId: rule.id };
  const { start, isPending, value, fault } = useAction(async (isOn: boolean) => {
    try {
      if (isOn) await whenConfirmed((confirm) => here.POST('/rules/{ruleId}/activate', { path, body: confirm }));
      else await here.POST('/rules/{ruleId}/pause', { path });
    } finally {
      await refreshRules(workspace.id);
    }
  });
  // What was asked for is shown until the service has answered.
  return {
    isOn: isPending && value !== undefined ? value : rule.isActive,
    turn: (isOn: boolean) => start(isOn),
    fault,
  };
}

/** Asks the person before a rule may mail everybody, because the service refuses it without a word. */
export async function whenConfirmed<Answer>(
  send: (body: { confirm?: boolean }) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'rule.unconfirmed') throw error;
    return window.confirm(words('rules.mailsEverybody')) ? send({ confirm: true }) : undefined;
  }
}
