// The results of calls to Slack's Web API, from the errors of its client. Pure.

import type { DeliveryFailure, SendResult } from '../contract/destination.ts';

/**
 * The causes and fixes of errors that Slack answers
 * (https://docs.slack.dev/reference/methods/chat.postMessage#errors).
 */
const FIXES: Readonly<Record<string, string>> = {
  not_in_channel: 'The app is not in the channel: invite it with /invite in that channel.',
  channel_not_found:
    'The channel does not exist or is private: correct its id in destinations.yaml, or invite the app.',
  is_archived: 'The channel is archived: restore it, or name a different one in destinations.yaml.',
  token_revoked: 'The token was revoked: install the app again, and store the new bot token.',
  token_expired: 'The token has expired: install the app again, and store the new bot token.',
  invalid_auth: 'The token is wrong: store the bot token of the app, xoxb-….',
  not_authed: 'There is no token: store the bot token of the app, xoxb-….',
  account_inactive:
    'The account of the token was deleted: install the app again, and store the new bot token.',
  missing_scope:
    'The app lacks a scope: add chat:write, channels:history and groups:history, and install it again.',
  restricted_action:
    'The workspace does not let the app post in this channel: an administrator can allow it.',
  msg_too_long: 'The message is too long for Slack.',
  invalid_blocks: 'Slack does not accept the form of the message.',
  msg_blocks_too_long: 'The message is too long for Slack.',
  messages_tab_disabled:
    'The channel is a conversation with the app whose messages tab is off: switch it on in the app.',
};

/** The message that an update or a reply refers to can no longer be changed or answered. */
const GONE: ReadonlySet<string> = new Set([
  'message_not_found',
  'thread_not_found',
  'cant_update_message',
  'edit_window_closed',
  'cant_broadcast_message',
]);

/** The reason is the message: the destination accepts others. */
const ONLY_THIS: ReadonlySet<string> = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'invalid_blocks',
  'invalid_blocks_format',
]);

/** Slack answers these also after parts of an operation succeeded. */
const AFTER_EFFECT: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
]);

/** Errors of connections that were never established. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The fields of the client's errors that the result depends on. */
interface SlackFault {
  code?: string;
  /** Of an answer with `ok: false`. */
  data?: { error?: string };
  /** Seconds. */
  retryAfter?: number;
  statusCode?: number;
  original?: Error & { code?: string; cause?: { code?: string } };
}

/** The result of a call that failed. */
export function slackFailure(error: unknown): Exclude<SendResult, { outcome: 'sent' }> {
  const { code, data, retryAfter, statusCode, original } = (error ?? {}) as SlackFault;
  if (code === 'slack_webapi_rate_limited_error')
    return retryResult(
      { code: 'ratelimited', message: 'Slack asks for a pause.' },
      (retryAfter ?? 1) * 1_000,
    );
  if (code === 'slack_webapi_platform_error') return errorResult(data?.error ?? 'unknown_error');
  if (code === 'slack_webapi_http_error') {
    const failure = { code: `http_${statusCode}`, message: `Slack answered with status ${statusCode}.` };
    return (statusCode ?? 500) >= 500 ? { outcome: 'unknown', failure } : { outcome: 'refused', failure };
  }
  const cause = original?.cause?.code ?? original?.code ?? '';
  const failure = { code: 'connection', message: `Slack did not answer (${cause || 'no answer in time'}).` };
  return NOT_SENT.has(cause) ? retryResult(failure, null) : { outcome: 'unknown', failure };
}

function retryResult(
  failure: DeliveryFailure,
  retryAfterMs: number | null,
): Exclude<SendResult, { outcome: 'sent' }> {
  return { outcome: 'retry', failure, retryAfterMs };
}

function errorResult(error: string): Exclude<SendResult, { outcome: 'sent' }> {
  // Slack chooses the code; a name of its own form only.
  const code = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown_error';
  const failure = { code, message: FIXES[code] ?? `Slack answered ${code}.` };
  if (GONE.has(code)) return { outcome: 'gone', failure };
  if (code === 'ratelimited' || code === 'rate_limited') return retryResult(failure, 30_000);
  if (AFTER_EFFECT.has(code)) return { outcome: 'unknown', failure };
  return { outcome: 'refused', failure, ...(ONLY_THIS.has(code) && { isOnlyThis: true }) };
}
