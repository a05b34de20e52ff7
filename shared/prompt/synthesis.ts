// The prompts for an agent that combines the results of others.

import { type Finding, stageContext } from './investigation.ts';

/** Instructions of the built-in synthesizer, for stages whose configuration names no agent for it. */
export const SYNTHESIS_INSTRUCTIONS = `You combine what several agents found about the same alert into one analysis for the person on call.
- Each agent's result stands under its name. They worked apart; none knew of the others.
- Say where they agree and what that rests on. Where they contradict each other, say which evidence is stronger and why, or that it is open.
- Add nothing that no agent found. Keep the sources they name.
- Finish with: Root cause (and how sure), Evidence, Impact, What to do now, Unverified.`;

/** The first user message of a synthesis: the alert, and every agent's result (seed: synthesis controller). */
export function synthesisPrompt(alertText: string, findings: Finding[]): string {
  return ['Combine these results into one analysis of the alert.', alertText, stageContext(findings)].join(
    '\n\n',
  );
}
