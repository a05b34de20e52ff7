// Teams through a workflow that posts a card to a channel. The workflow answers before it posts, and knows no
// edits, threads or repetitions: one message, and a lost answer stays unknown.
// https://support.microsoft.com/office/post-a-workflow-when-a-webhook-request-is-received-in-microsoft-teams

import type { CreateDestination } from '../contract/destination.ts';
import type { TeamsSettings } from '../contract/destinationSettings.ts';
import { asObject, asText, parseJson } from '../text/json.ts';
import { failedResult, type HttpResult, publicHostFaults } from './http.ts';
import type { DestinationServices } from './services.ts';
import { renderAdaptiveCard } from './teamsCard.ts';

const TIMEOUT_MS = 30_000;

const FIXES: Record<number, string> = {
  400: 'The workflow is turned off, or its trigger is not "When a Teams webhook request is received". Turn it on in the app Workflows.',
  401: 'The signature of the address is wrong or was replaced. Copy the address from the trigger of the workflow again.',
  403: 'The workflow accepts only people of the organization. Set "Who can trigger the flow" of its trigger to "Anyone".',
  404: 'The workflow was deleted, also when its owner left. Create it again, with a second owner.',
};

/** Makes the destination. The address of the workflow is a secret, and is part of no message. */
export const createTeams =
  (
    { http }: Pick<DestinationServices, 'http'>,
    reach: 'public' | 'any' = 'public',
  ): CreateDestination<TeamsSettings> =>
  ({ url }) =>
    Promise.resolve({
      kind: 'teams',
      capabilities: {
        update: false,
        thread: false,
        buttons: false,
        probe: false,
        key: false,
        isRepeatSafe: false,
      },
      timeoutMs: TIMEOUT_MS,
      preview: renderAdaptiveCard,
      check: async () => (reach === 'any' ? [] : await publicHostFaults(url)),
      async send(outgoing) {
        const body = JSON.stringify(renderAdaptiveCard(outgoing));
        const headers = { 'content-type': 'application/json' };
        const result = await http({ method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS, reach });
        if (result.outcome === 'answered' && result.status < 300) return { outcome: 'sent', ref: null };
        const failed = failedResult(result, suggestTeamsFix(result));
        const code = readWorkflowCode(result);
        return code === undefined ? failed : { ...failed, failure: { ...failed.failure, code } };
      },
    });

function suggestTeamsFix(result: HttpResult): string {
  const status = result.outcome === 'answered' ? result.status : 0;
  if (status === 429) return 'The limit of requests of the workflow is reached.';
  return FIXES[status] ?? 'Look at the runs of the workflow in the app Workflows.';
}

/** The code of the workflow's own error. Its text is not used: it can quote the address. */
function readWorkflowCode(result: HttpResult): string | undefined {
  if (result.outcome !== 'answered') return undefined;
  const code = asText(asObject(asObject(parseJson(result.text)).error).code) ?? '';
  return /^\w{1,60}$/.exec(code)?.[0];
}
