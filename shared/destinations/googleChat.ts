// Google Chat: one card for each message, sent with the service's own identity. A repetition is recognised by
// its request id, and a message is edited by the name that was chosen for it, so that nothing has to be found
// again. https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create

import type {
  CreateDestination,
  DeliveryFailure,
  OutgoingMessage,
  SendResult,
} from '../contract/destination.ts';
import type { GoogleChatSettings } from '../contract/destinationSettings.ts';
import { errorMessage } from '../core/errors.ts';
import { quoteText } from '../text/cut.ts';
import { asArray, asObject, asText, parseJson } from '../text/json.ts';
import { renderCard } from './googleChatCard.ts';
import { failedResult, type HttpRequest, type HttpResult } from './http.ts';
import { messageKey, messageUuid } from './render/messageKey.ts';
import type { DestinationServices } from './services.ts';

/** Lets an app post as itself to spaces that it is a member of. */
export const CHAT_SCOPE = 'https://www.googleapis.com/auth/chat.bot';
const TIMEOUT_MS = 20_000;

const FIXES: Record<string, string> = {
  missing_scope: `The identity of the service has no token with the scope ${CHAT_SCOPE}. Run the function with a service account of the project that the Chat app is configured in.`,
  not_a_member: 'The Chat app is not a member of the space. Add it in the space with "Apps & integrations".',
  space_not_found:
    'The space does not exist, or the Chat app is not a member of it. Compare "space" with the address of the space, and add the app there.',
  app_not_configured:
    'The project has no Chat app. Turn on the Google Chat API and fill in its page "Configuration".',
  unauthenticated:
    'The token was refused. Run the function with a service account, not with the credentials of a person.',
  rate_limited: 'More than 60 writes a minute in the space, or 3,000 in the project.',
  invalid: 'The message was refused.',
};

/** Makes the destination. */
export const createGoogleChat =
  ({
    http,
    googleToken,
  }: Pick<DestinationServices, 'http' | 'googleToken'>): CreateDestination<GoogleChatSettings> =>
  (settings) => {
    const { space, apiUrl = 'https://chat.googleapis.com' } = settings;
    const base = `${apiUrl.replace(/\/+$/, '')}/v1/`;

    const call = async (method: HttpRequest['method'], path: string, body?: object): Promise<HttpResult> => {
      let token: string;
      try {
        token = await googleToken([CHAT_SCOPE]);
      } catch (error) {
        const message = quoteText(`No token for Google Chat: ${errorMessage(error)}`, 499);
        return { outcome: 'not_sent', failure: { code: 'no_token', message }, canRetry: true };
      }
      return await http({
        method,
        url: `${base}${path}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        reach: 'any',
      });
    };

    return Promise.resolve({
      kind: 'googleChat',
      capabilities: {
        update: true,
        thread: true,
        buttons: false,
        probe: false,
        key: true,
        isRepeatSafe: false,
      },
      timeoutMs: TIMEOUT_MS,
      preview: renderCard,
      async send(outgoing) {
        const query = new URLSearchParams({
          requestId: messageUuid(outgoing.id),
          messageId: composeChatMessageId(outgoing),
          // A thread that was deleted does not lose the reply.
          messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
        });
        const thread = { threadKey: outgoing.thread?.split('/').at(-1) ?? composeChatMessageId(outgoing) };
        const result = await call('POST', `${space}/messages?${query}`, { ...renderCard(outgoing), thread });
        const ref = `${space}/messages/${composeChatMessageId(outgoing)}`;
        return sentOr(result, ref) ?? describeChatFailure(result);
      },
      async update(ref, outgoing) {
        const result = await call('PATCH', `${ref}?updateMask=cardsV2`, renderCard(outgoing));
        if (result.outcome === 'answered' && result.status === 404)
          return {
            outcome: 'gone',
            failure: { code: 'message_not_found', message: 'The message was deleted.' },
          };
        return sentOr(result, ref) ?? describeChatFailure(result);
      },
      async check() {
        const result = await call('GET', space);
        if (result.outcome === 'answered' && result.status < 300) return [];
        return [describeChatFailure(result).failure];
      },
    });
  };

/** The id of a message by its sender: `client-`, lowercase letters, digits, hyphens, at most 63. */
function composeChatMessageId({ id }: OutgoingMessage): string {
  return `client-${messageKey(id)}`;
}

function sentOr(result: HttpResult, ref: string): SendResult | undefined {
  if (result.outcome !== 'answered') return undefined;
  // 409: a message of this name exists, which only an earlier attempt can have sent.
  return result.status < 300 || result.status === 409 ? { outcome: 'sent', ref } : undefined;
}

function describeChatFailure(result: HttpResult): Exclude<SendResult, { outcome: 'sent' | 'gone' }> {
  const failed = failedResult(result, '');
  if (result.outcome !== 'answered' || result.status >= 500) return failed;
  return { ...failed, failure: failureFrom(result.status, result.text) };
}

function failureFrom(status: number, text: string): DeliveryFailure {
  const { message, details } = asObject(asObject(parseJson(text)).error);
  const words = quoteText(asText(message) ?? `status ${status}`, 200);
  const reasons = asArray(details).map((detail) => asObject(detail).reason);
  const code = chooseChatCode(status, words, reasons);
  return { code, message: `${FIXES[code] ?? FIXES.invalid} Google Chat: ${words}` };
}

function chooseChatCode(status: number, words: string, reasons: unknown[]): string {
  if (status === 401) return 'unauthenticated';
  if (status === 429) return 'rate_limited';
  if (reasons.includes('ACCESS_TOKEN_SCOPE_INSUFFICIENT')) return 'missing_scope';
  if (reasons.includes('SERVICE_DISABLED') || /chat app not found/i.test(words)) return 'app_not_configured';
  if (status === 403) return 'not_a_member';
  return status === 404 ? 'space_not_found' : 'invalid';
}
