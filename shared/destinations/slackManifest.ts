// The manifest of a Slack app with the scopes that Inquest needs.
// https://docs.slack.dev/reference/app-manifest

/** `chat:write` posts and edits, the histories resolve doubts. */
const SCOPES = ['chat:write', ...['channels:history', 'groups:history'], ...['channels:read', 'groups:read']];

/** The manifest as JSON, for "Create New App" and "From a manifest". */
export function slackManifest(): string {
  const manifest = {
    _metadata: { major_version: 1 },
    display_information: {
      name: 'Inquest',
      description: 'Results of investigations of alerts',
    },
    features: { bot_user: { display_name: 'inquest', always_online: true } },
    oauth_config: { scopes: { bot: SCOPES } },
    settings: {
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
  return JSON.stringify(manifest, null, 2);
}
