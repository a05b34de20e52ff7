// The settings of each kind of destination, as destinations.yaml has them after its variables are filled in.

/** The addresses of the API that take presses of buttons, and mentions. */
export const SLACK_PATHS = { presses: '/v1/slack/presses', mentions: '/v1/slack/mentions' } as const;

/** A Slack app in a workspace. */
export interface SlackSettings {
  /** Bot token, `xoxb-…`. Secret. */
  token: string;
  /** Id of the default channel, `C0123456789`. */
  channel: string;
  /** A label of alerts with the id of a channel, and the allowed channels. Absent: always `channel`. */
  channelFrom?: { label: string; allowed: string[] } | undefined;
  /** The app's signing secret, for presses and mentions; only in the API. Absent: no decisions in Slack. */
  signingSecret?: string | undefined;
  /** Id of the workspace whose people can press buttons, `T0123456789`. Needed with `signingSecret`. */
  team?: string | undefined;
  /** Base address of the Web API. Default: `https://slack.com/api/`; GovSlack has its own. */
  apiUrl?: string | undefined;
}

/** A space of Google Chat, with the service's own identity. */
export interface GoogleChatSettings {
  /** `spaces/AAAA…`. */
  space: string;
  /** Base address of the API. Default: `https://chat.googleapis.com`. */
  apiUrl?: string | undefined;
}

/** A workflow of Teams that posts to a channel. */
export interface TeamsSettings {
  /** The address of the workflow, which contains its secret. */
  url: string;
}

/** A receiver of Standard Webhooks 1.0. */
export interface WebhookSettings {
  /** HTTPS, or HTTP with `private`. */
  url: string;
  /** `whsec_…`: one, or two during a rotation. Secret. */
  secrets: string[];
  /** Whether the address can be a private one. Default: false. */
  private?: boolean | undefined;
  /** `thin`: ids, status and link; `full`: the message, too. Default: `thin`. */
  payload?: 'thin' | 'full' | undefined;
}

/** A topic of Pub/Sub that gets CloudEvents. */
export interface PubsubSettings {
  /** Id of the topic. Default: `inquest-events`. */
  topic?: string | undefined;
  /** Project of the topic. Default: the project of the installation. */
  project?: string | undefined;
}

/** Notes on incidents of PagerDuty. */
export interface PagerdutySettings {
  /** REST API key. Secret. */
  token: string;
  /** E-mail address of a user of the account, for the header `From`. */
  from: string;
  /** Region of the account. Default: `us`. */
  region?: 'us' | 'eu' | undefined;
  /** Base address of the API. Default: that of the region. */
  apiUrl?: string | undefined;
}

/** Issues of a repository on GitHub. */
export interface GithubSettings {
  /** A token that can write issues. Secret. */
  token: string;
  /** `owner/name`. */
  repository: string;
  /** Labels of new issues. Default: none. */
  labels?: string[] | undefined;
  /** Base address of the API. Default: `https://api.github.com`. */
  apiUrl?: string | undefined;
}

/** E-mail through a server with SMTP. */
export interface EmailSettings {
  /** Host of the server. */
  host: string;
  /** 587 (STARTTLS) or 465 (TLS). Default: 587. */
  port?: number | undefined;
  /** User of the server; absent without a login. */
  user?: string | undefined;
  /** Password of the user. Secret. */
  password?: string | undefined;
  /** Address of the sender. */
  from: string;
  /** Addresses of the receivers. */
  to: string[];
}

/**
 * Settings of every kind. A new kind has a line here, in config/destinationKinds.ts and createDestinations.
 */
export interface DestinationSettings {
  slack: SlackSettings;
  googleChat: GoogleChatSettings;
  teams: TeamsSettings;
  webhook: WebhookSettings;
  pubsub: PubsubSettings;
  pagerduty: PagerdutySettings;
  github: GithubSettings;
  email: EmailSettings;
}

/** A kind of destination. */
export type DestinationKind = keyof DestinationSettings;

/** One entry of destinations.yaml. */
export type DestinationConfig = {
  [K in DestinationKind]: {
    kind: K;
    /** The tenants whose sessions it can show. */
    tenants: string[];
    /**
     * After a first message that is unknown: `repeat` sends results and approvals as a new message marked
     * "possibly repeated", `hold` sends none.
     */
    onDoubt: 'repeat' | 'hold';
    /** The fields of structured answers that messages about a result show. Absent: none. */
    fields?: string[] | undefined;
    /** The chain that answers mentions in its places: only with buttons. Absent: they open no session. */
    asks?: { chain: string } | undefined;
    settings: DestinationSettings[K];
  };
}[DestinationKind];
