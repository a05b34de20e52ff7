// The manifest of a Slack app with the scopes that Inquest needs.
// https://docs.slack.dev/reference/app-manifest

import { SLACK_PATHS } from '../contract/destinationSettings.ts';

/** `chat:write` posts and edits, the histories resolve doubts and find the session of a thread. */
const SCOPES = ['chat:write', 'channels:history', 'groups:history', 'channels:read', 'groups:read'];
/** For presses and mentions: the address of a person, and messages that name the app. */
const PERSON_SCOPES = ['users:read', 'users:read.email', 'app_mentions:read'];
/** For text files that people add to a question. */
const ASK_SCOPES = ['files:read'];

/**
 * The manifest as JSON, for "Create New App" and "From a manifest".
 * @param apiUrl address of the deployed API, for buttons and mentions, without a slash at its end; null:
 * messages only.
 * @param asks whether a destination of it has `asks`.
 */
export function slackManifest(apiUrl: string | null, asks = false): string {
  const scopes = [...SCOPES, ...(apiUrl === null ? [] : PERSON_SCOPES), ...(asks ? ASK_SCOPES : [])];
  const manifest = {
    _metadata: { major_version: 1 },
    display_information: {
      name: 'Inquest',
      description: 'Results of investigations of alerts',
    },
    features: { bot_user: { display_name: 'inquest', always_online: true } },
    oauth_config: { scopes: { bot: scopes } },
    settings: {
      ...(apiUrl !== null && {
        event_subscriptions: { request_url: `${apiUrl}${SLACK_PATHS.mentions}`, bot_events: ['app_mention'] },
        interactivity: { is_enabled: true, request_url: `${apiUrl}${SLACK_PATHS.presses}` },
      }),
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
  return JSON.stringify(manifest, null, 2);
}
