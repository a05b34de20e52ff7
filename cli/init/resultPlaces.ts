// Places of results for `inquest init`: their entry in destinations.yaml, and its variables.

import { randomBytes } from 'node:crypto';

interface ResultPlace {
  /** For people. */
  title: string;
  /** The lines below the name in destinations.yaml. */
  entry: string;
  /** The variable that `init` asks for, and its meaning. */
  setting: { name: string; description: string };
  /** The variable of a secret, never asked; undefined without. `make`: its first value, else empty. */
  secret?: { name: string; description: string; make?: () => string };
}

/** The places by the name that `--results` and destinations.yaml have. */
const RESULT_PLACES = {
  slack: {
    title: 'a channel of Slack',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration
    entry: 'kind: slack\ntoken: ${SLACK_BOT_TOKEN}\nchannel: ${SLACK_CHANNEL}',
    setting: { name: 'SLACK_CHANNEL', description: 'Id of the channel, such as C0123456789' },
    secret: { name: 'SLACK_BOT_TOKEN', description: 'Bot token of the app, xoxb-…' },
  },
  googlechat: {
    title: 'a space of Google Chat',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration
    entry: 'kind: googleChat\nspace: ${GOOGLE_CHAT_SPACE}',
    setting: { name: 'GOOGLE_CHAT_SPACE', description: 'The space, such as spaces/AAAAMpdlehY' },
  },
  webhook: {
    title: 'your own program, by Standard Webhooks',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration
    entry: 'kind: webhook\nurl: ${RESULTS_WEBHOOK_URL}\nsecrets: ${RESULTS_WEBHOOK_SECRET}',
    setting: { name: 'RESULTS_WEBHOOK_URL', description: 'HTTPS address of your program' },
    secret: {
      name: 'RESULTS_WEBHOOK_SECRET',
      description: 'Secret that signs the requests; your program needs it, too',
      make: () => `whsec_${randomBytes(32).toString('base64')}`,
    },
  },
} satisfies Record<string, ResultPlace>;

/** Where results go; `none`: only to the dashboard. */
export type ResultName = keyof typeof RESULT_PLACES | 'none';
/** All names, `none` first. */
export const RESULT_NAMES: readonly ResultName[] = ['none', 'slack', 'googlechat', 'webhook'];

/** The place with this name; undefined for `none`. */
export const resultPlace = (name: ResultName): ResultPlace | undefined =>
  name === 'none' ? undefined : RESULT_PLACES[name];
