// The settings of each kind of destination, as destinations.yaml has them.

import { isIP } from 'node:net';
import * as z from 'zod';
import type { DestinationKind, DestinationSettings } from '../contract/destinationSettings.ts';
import { isPublicAddress } from '../text/publicAddress.ts';
import { eachOnce, oneOrMany, schemaByValue, strictMapping } from './fields.ts';

/** The schema of a text that must have a form. It is checked after variables are filled in. */
export type TextField = (form?: { pattern: RegExp; message: string }) => z.ZodType<string>;

const CHANNEL = {
  pattern: /^[CGD][A-Z0-9]{6,20}$/,
  message:
    'must be the id of a channel, such as C0123456789: it is at the end of "View channel details" in Slack',
};
const TOKEN = {
  pattern: /^xox[bp]-\S{10,}$/,
  message: 'must be the bot token of the app, xoxb-…, from "OAuth & Permissions" of the app',
};
const TEAM = {
  pattern: /^T[A-Z0-9]{6,20}$/,
  message: 'must be the id of the workspace, such as T0123456789',
};
const HTTP = {
  pattern: /^https?:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/,
  message: 'must be an http or https address without credentials',
};
const HTTPS = {
  pattern: /^https:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/,
  message: 'must be the https address of the workflow, without credentials',
};
const ADDRESS = {
  pattern: /^(?:[^<>@\s]+@[^<>@\s]+|[^<>@]*<[^<>@\s]+@[^<>@\s]+>)$/,
  message: 'must be an address, such as oncall@example.com or Inquest <inquest@example.com>',
};
const WHSEC = {
  pattern: /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
  message: 'must be whsec_ and 24 to 64 bytes in base64: echo whsec_$(openssl rand -base64 32)',
};
const SPACE = {
  pattern: /^spaces\/[A-Za-z0-9_-]{1,100}$/,
  message: 'must be spaces/ and the id at the end of the address of the space, such as spaces/AAAAMpdlehY',
};
const TOPIC = {
  pattern: /^[A-Za-z][\w.~+%-]{2,254}$/,
  message: 'must be the id of a topic, such as inquest-events, without projects/…/topics/',
};
const PROJECT = {
  pattern: /^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  message: 'must be the id of a project, such as shop-prod',
};
const MAX_PLACES = 100;

/** Names without public server: RFC 6761, 6762, 8375, and ICANN's `internal`. A variable is no name yet. */
const PRIVATE_NAME = /^[\w-]+\.?$|\.(?:localhost|local|internal|home\.arpa)\.?$/;

/** Whether an address is private without resolving its name. */
function isPrivateHost(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return isIP(host) === 0 ? PRIVATE_NAME.test(host) : !isPublicAddress(host);
}

/** A kind of destination: a new kind has its row here. */
interface Kind<S> {
  /** Whether it can change or thread a message. Others get no message about the start by default. */
  follows: boolean;
  /**
   * The schema of its settings.
   * @param secret the schema of secrets that only prove requests of the destination's service: other
   * processes have them.
   */
  settings(text: TextField, secret: TextField): z.ZodType<S>;
}

/** The kinds of destinations. */
export const DESTINATION_KINDS: { readonly [K in DestinationKind]: Kind<DestinationSettings[K]> } = {
  slack: {
    follows: true,
    settings: (text, secret) =>
      strictMapping({
        token: text(TOKEN),
        channel: text(CHANNEL),
        channelFrom: strictMapping({
          label: z.string().min(1).max(200),
          allowed: z.array(text(CHANNEL)).min(1).max(MAX_PLACES).superRefine(eachOnce),
        }).optional(),
        signingSecret: secret().optional(),
        team: text(TEAM).optional(),
        apiUrl: text(HTTP).optional(),
      }).superRefine(({ signingSecret, team }, context) => {
        if ((signingSecret === undefined) === (team === undefined)) return;
        const [path, other] = team === undefined ? ['team', 'signingSecret'] : ['signingSecret', 'team'];
        const message = `is missing: buttons need it beside ${other}`;
        context.addIssue({ code: 'custom', path: [path], message });
      }),
  },
  googleChat: {
    follows: true,
    settings: (text) => strictMapping({ space: text(SPACE), apiUrl: text(HTTP).optional() }),
  },
  teams: {
    follows: false,
    settings: (text) =>
      strictMapping({ url: text(HTTPS) }).superRefine(({ url }, context) => {
        if (!isPrivateHost(url)) return;
        const message = 'must be the public address of the workflow, not a private one';
        context.addIssue({ code: 'custom', path: ['url'], message });
      }),
  },
  webhook: {
    follows: true,
    settings: (text) =>
      strictMapping({
        url: text(HTTP),
        secrets: oneOrMany(text(WHSEC), 2),
        private: z.boolean().optional(),
        payload: z.enum(['thin', 'full']).optional(),
      }).superRefine(({ url, private: isPrivate }, context) => {
        if (isPrivate === true) return;
        const message = isPrivateHost(url)
          ? 'is a private address; correct it, or add private: true if that is intended'
          : 'must be an https address; http is for addresses with private: true';
        if (isPrivateHost(url) || url.startsWith('http:'))
          context.addIssue({ code: 'custom', path: ['url'], message });
      }),
  },
  pubsub: {
    follows: true,
    settings: (text) => strictMapping({ topic: text(TOPIC).optional(), project: text(PROJECT).optional() }),
  },
  pagerduty: {
    follows: false,
    settings: (text) =>
      strictMapping({
        token: text(),
        from: text(ADDRESS),
        region: z.enum(['us', 'eu']).optional(),
        apiUrl: text(HTTP).optional(),
      }),
  },
  github: {
    follows: true,
    settings: (text) =>
      strictMapping({
        token: text(),
        repository: text({ pattern: /^[\w.-]+\/[\w.-]+$/, message: 'must be owner/name' }),
        labels: z.array(z.string().min(1).max(50)).max(20).optional(),
        apiUrl: text(HTTP).optional(),
      }),
  },
  email: {
    follows: false,
    settings: (text) =>
      strictMapping({
        host: text(),
        port: z.int().min(1).max(65_535).optional(),
        user: text().optional(),
        password: text().optional(),
        from: text(ADDRESS),
        to: z.array(text(ADDRESS)).min(1).max(MAX_PLACES),
      }).superRefine(({ user, password }, context) => {
        if ((user === undefined) === (password === undefined)) return;
        const [path, other] = user === undefined ? ['user', 'password'] : ['password', 'user'];
        const message = `is missing: a login needs it beside ${other}`;
        context.addIssue({ code: 'custom', path: [path], message });
      }),
  },
};

/** The settings of a kind that is known only from the value. */
export function chooseKindSettings(
  kind: DestinationKind,
  text: TextField,
  secret: TextField,
): z.ZodType<DestinationSettings[DestinationKind]> {
  return schemaByValue(
    () => DESTINATION_KINDS[kind].settings(text, secret) as z.ZodType<DestinationSettings[DestinationKind]>,
  );
}
