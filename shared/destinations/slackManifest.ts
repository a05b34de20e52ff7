// The manifest of a Slack app with the scopes, events and addresses that Inquest needs.
// https://docs.slack.dev/reference/app-manifest

/** `chat:write` posts and edits, the histories resolve doubts, the users decide who presses a button. */
const SCOPES = [
  'chat:write',
  ...['channels:history', 'groups:history'],
  ...['channels:read', 'groups:read'],
  ...['users:read', 'users:read.email'],
  'app_mentions:read',
];
/** Placeholder of an address that is not set. */
const UNSET = 'https://PUBLIC_URL';

/**
 * The manifest as JSON, for "Create New App" and "From a manifest".
 * @param publicUrl the address of the installation, without a slash at its end; null leaves a placeholder.
 */
export function slackManifest(publicUrl: string | null): string {
  const base = publicUrl ?? UNSET;
  const manifest = {
    _metadata: { major_version: 1 },
    display_information: {
      name: 'Inquest',
      description: 'Results of investigations of alerts, and approvals of tool calls',
    },
    features: { bot_user: { display_name: 'inquest', always_online: true } },
    oauth_config: { scopes: { bot: SCOPES } },
    settings: {
      event_subscriptions: { request_url: `${base}/v1/slack/events`, bot_events: ['app_mention'] },
      interactivity: { is_enabled: true, request_url: `${base}/v1/slack/interactions` },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
  return JSON.stringify(manifest, null, 2);
}
