// The guards of sessions: maskers that also check the tools and answers of models.

import type { Guard, GuardFor, Masker } from '../core/contract/guard.ts';
import { maskAnswer } from './answer/maskAnswer.ts';
import { refuseSecrets, refuseSources } from './answer/refuseSecrets.ts';
import { cleanText } from './cleanText.ts';
import { cleanTools } from './cleanTools.ts';
import { createMaskers, type MaskersOptions } from './maskers.ts';

/** Keeps the guards of the latest sessions, as `createMaskers` keeps maskers. */
export function createGuards(options: MaskersOptions): GuardFor {
  const maskerFor = createMaskers(options);
  const guards = new WeakMap<Masker, Guard>();
  return (key) => {
    const masker = maskerFor(key);
    const guard = guards.get(masker) ?? createGuard(masker);
    guards.set(masker, guard);
    return guard;
  };
}

/** The guard that masks with a masker. */
function createGuard(masker: Masker): Guard {
  return {
    ...masker,
    cleanText: (text) => cleanText(masker, text),
    cleanTools: (tools) => cleanTools(tools, masker),
    cleanAnswer(answer) {
      const { response, kindsInText } = maskAnswer(answer, masker);
      return { ...refuseSources(response, masker), kindsInText };
    },
    refuseCalls: (interpretation, answer, sent) =>
      refuseSecrets(interpretation, { ...answer, refused: answer.response.refused }, { ...sent, masker }),
  };
}
