// Webhooks: Standard Webhooks 1.0 (https://www.standardwebhooks.com). A receiver recognises a repetition by
// `webhook-id`, so that attempts can be repeated after a lost answer.

import { Webhook } from 'standardwebhooks';
import type {
  CreateDestination,
  DeliveryFailure,
  OutgoingMessage,
  SendResult,
} from '../contract/destination.ts';
import type { WebhookSettings } from '../contract/destinationSettings.ts';
import { failedResult, publicHostFaults } from './http.ts';
import { withinContract } from './render/fitMessage.ts';
import type { DestinationServices } from './services.ts';

const TIMEOUT_MS = 20_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Attempts over a day, as Standard Webhooks recommends. */
const RETRY_DELAYS_MS = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 8 * HOUR];
/** Receivers refuse more. */
const MAX_BODY_BYTES = 200_000;

/** Makes the destination. Its address and its secrets are part of no message. */
export const createWebhook =
  (
    { http }: Pick<DestinationServices, 'http'>,
    now: () => Date = () => new Date(),
  ): CreateDestination<WebhookSettings> =>
  (settings) => {
    const signers = settings.secrets.map((secret) => new Webhook(secret));
    const reach = settings.private === true ? 'any' : 'public';
    return Promise.resolve({
      kind: 'webhook',
      capabilities: {
        update: false,
        thread: false,
        buttons: false,
        probe: false,
        key: false,
        isRepeatSafe: true,
      },
      timeoutMs: TIMEOUT_MS,
      retryDelaysMs: RETRY_DELAYS_MS,
      preview: (outgoing) => composeWebhookPayload(outgoing, settings),
      check: async () => (reach === 'any' ? [] : await publicHostFaults(settings.url)),
      async send(outgoing) {
        const body = writeWebhookBody(outgoing, settings);
        const at = now();
        // Dots separate id, time and body in the text that is signed.
        const id = outgoing.id.replaceAll('.', ':');
        const signatures = signers.map((signer) => signer.sign(id, at, body));
        const headers = {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          // Of the old and the new secret during a rotation.
          'webhook-signature': signatures.join(' '),
        };
        const result = await http({
          method: 'POST',
          url: settings.url,
          headers,
          body,
          timeoutMs: TIMEOUT_MS,
          reach,
        });
        if (result.outcome !== 'answered') return failedResult(result, '');
        return toWebhookResult(result);
      },
    });
  };

/** 2xx: accepted. 410: no further messages. Redirects are not followed, all else is tried again. */
function toWebhookResult(answer: Parameters<typeof failedResult>[0] & { outcome: 'answered' }): SendResult {
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: 'sent', ref: null };
  if (status === 410)
    return {
      ...refused(
        'http_410',
        'The receiver asks for no further messages. Remove the destination, or correct its address.',
      ),
      isLast: true,
    };
  if (status >= 300 && status < 400)
    return refused(
      `http_${status}`,
      'The receiver redirects, which is not followed. Write the address it leads to.',
    );
  const failed = failedResult(answer, 'The receiver must answer with 2xx within 20 s.');
  // A receiver that does not know an address or signature yet can be corrected within the day.
  return failed.outcome === 'refused' ? { ...failed, outcome: 'retry', retryAfterMs: null } : failed;
}

const refused = (code: string, message: string): Extract<SendResult, { outcome: 'refused' }> => ({
  outcome: 'refused',
  failure: { code, message } satisfies DeliveryFailure,
});

/** The body of a request. */
export function writeWebhookBody(outgoing: OutgoingMessage, settings: WebhookSettings): string {
  const body = JSON.stringify(composeWebhookPayload(outgoing, settings));
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  return JSON.stringify(composeWebhookPayload(outgoing, { ...settings, payload: 'thin' }));
}

/** Ids, status and link; with `payload: full` the message, too. */
export function composeWebhookPayload(
  { event, session, message, occurredAt }: OutgoingMessage,
  { payload }: WebhookSettings,
): object {
  const { buttons: _, ...shown } = withinContract(message);
  return {
    type: session === null ? `inquest.${event}` : `inquest.session.${event}`,
    timestamp: occurredAt.toISOString(),
    data: {
      ...(session === null ? {} : { session }),
      status: shown.status,
      link: shown.link,
      ...(payload === 'full' && { message: shown }),
    },
  };
}
