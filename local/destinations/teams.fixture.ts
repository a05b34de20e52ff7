// A stand-in for a workflow of Teams with the trigger "When a Teams webhook request is received", followed by
// "Post card in a chat or channel". It answers before anything is posted, so that its answer says nothing of
// the message.

import { asArray, asObject, asText } from '../../shared/text/json.ts';
import { serveWire, type Wire, type WireAnswer, type WireRequest } from './wire.fixture.ts';

/**
 * https://learn.microsoft.com/microsoftteams/limits-specifications-teams: about 28 kB for a post with its
 * mentions and options.
 */
const MAX_CARD_BYTES = 28 * 1024;
/**
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference: cards up
 * to version 1.5.
 */
const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'];
const CARD = 'application/vnd.microsoft.card.adaptive';
const PATH = '/powerautomate/automations/direct/workflows/abc/triggers/manual/paths/invoke';

/** A stand-in that runs. */
export interface StandInTeams extends Wire {
  /** The address of the workflow, with its secret. */
  workflow: string;
  /** Cards that were posted. */
  posted: Record<string, unknown>[];
  /** Runs of the workflow that failed after the answer, by their cause. */
  failedRuns: string[];
}

/**
 * Starts the stand-in.
 * @param options.isOn whether the workflow is turned on. Default: true.
 */
export async function startTeams(
  options: { isOn?: () => boolean; port?: number } = {},
): Promise<StandInTeams> {
  const { isOn = () => true, port } = options;
  const posted: Record<string, unknown>[] = [];
  const failedRuns: string[] = [];

  function answer(request: WireRequest): WireAnswer {
    if (request.path !== PATH) return fault(404, 'WorkflowNotFound', 'The workflow could not be found.');
    // https://learn.microsoft.com/azure/logic-apps/logic-apps-securing-a-logic-app: a call needs the
    // signature of the address.
    if (request.query.get('sig') !== 'secret')
      return fault(401, 'DirectApiInvalidAuthorizationScheme', 'The request has no valid signature.');
    if (!isOn()) return fault(400, 'WorkflowTriggerIsNotEnabled', 'The workflow is turned off.');
    if (request.body === undefined)
      return fault(400, 'InvalidRequestContent', 'The input is not valid JSON.');
    run(request.body);
    // https://learn.microsoft.com/azure/connectors/connectors-native-reqres: without an action "Response" the
    // trigger answers 202 at once, and the steps of the workflow run afterwards.
    return { status: 202 };
  }

  function run(body: unknown): void {
    const cards = asArray(asObject(body).attachments).map(asObject);
    if (asObject(body).type !== 'message' || cards.length === 0)
      return void failedRuns.push('the message has no attachments');
    for (const { contentType, content } of cards) {
      const card = asObject(content);
      if (contentType !== CARD || card.type !== 'AdaptiveCard') failedRuns.push('not an Adaptive Card');
      else if (!VERSIONS.includes(asText(card.version) ?? '')) failedRuns.push('an unknown version');
      else if (Buffer.byteLength(JSON.stringify(card)) > MAX_CARD_BYTES)
        failedRuns.push('RequestEntityTooLarge');
      else posted.push(card);
    }
  }

  const wire = await serveWire(answer, port);
  return Object.assign(wire, { workflow: `${wire.url}${PATH}?api-version=1&sig=secret`, posted, failedRuns });
}

/** The form of errors of Azure Logic Apps, on which workflows run. */
function fault(status: number, code: string, message: string): WireAnswer {
  return { status, body: { error: { code, message } } };
}
