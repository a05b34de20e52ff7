// Shows messages for Slack on a local page: a stand-in, and a configuration that sends there.

import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import {
  type SlackRequest,
  slackMention,
  slackMentionEvent,
  slackPress,
} from '../../local/destinations/slackEvents.ts';
import { serveSlackPage } from '../../local/destinations/slackPage.ts';
import { slackAccount, startSlackServer } from '../../local/destinations/slackServer.ts';
import { SLACK_PATHS } from '../../shared/contract/destinationSettings.ts';
import { asObject } from '../../shared/text/json.ts';

/** The one person of the workspace, and the workspace. */
const USER = 'U0000000000';
const TEAM = 'T0000000000';
const TOKEN = 'xoxb-stand-in-of-this-machine';
const CHANNEL = 'C0000000000';
const NAME = 'slack-page';
const WHEN = ['opened', 'approval', 'ended', 'failed', 'deferred', 'rejected'];

/** A stand-in that runs, with its page. */
interface ShownSlack {
  /** The copy of the configuration. */
  configFolder: string;
  /** Address of the page. */
  url: string;
  /** Lets the buttons of the page reach the API at this address. */
  connect(apiUrl: string): void;
  /** Stops both and removes the copy. */
  stop(): Promise<void>;
}

/**
 * Starts the stand-in. In the copy of `configFolder`, all entries of kind slack send to it; without one, all
 * chains get one more destination that does, and the default chain answers questions there.
 */
export async function showSlack(configFolder: string): Promise<ShownSlack> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-slack-'));
  cpSync(configFolder, folder, { recursive: true });
  const channels = new Set([CHANNEL]);
  const signingSecret = randomUUID();
  const slack = await startSlackServer({
    token: TOKEN,
    users: { [USER]: slackAccount(USER, TEAM, 'you@example.com') },
    // Every channel that the configuration names exists.
    channels: new Proxy({}, { get: (_, name) => (channels.has(String(name)) ? 'member' : undefined) }),
  });
  const settings = { token: TOKEN, channel: CHANNEL, apiUrl: slack.url, signingSecret, team: TEAM };
  const hasSlack = redirectSlack(folder, settings, channels);
  if (!hasSlack) addDestination(folder, settings);
  let apiUrl: string | undefined;
  let mentions = 0;
  const send = async (path: string, { headers, body }: SlackRequest) => {
    if (apiUrl === undefined) throw new Error('the system is not running yet');
    const response = await fetch(`${apiUrl}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`the API answered ${response.status}`);
  };
  const sender = () => ({ user: USER, team: TEAM, signingSecret, now: new Date() });
  const page = await serveSlackPage(slack.posts, {
    press: (post, actionId) => send(SLACK_PATHS.presses, slackPress(post, actionId, sender())),
    mention: (root, text) =>
      send(SLACK_PATHS.mentions, slackMention(root, text, `Ev${++mentions}`, sender())),
    ask: (text) => {
      const [channel = CHANNEL] = channels;
      const post = slack.add({ channel, text: `<@U0000000000> ${text}`, fields: { user: USER, team: TEAM } });
      return send(SLACK_PATHS.mentions, slackMentionEvent(post, sender()));
    },
  });
  return {
    configFolder: folder,
    url: page.url,
    connect(url) {
      apiUrl = url;
    },
    async stop() {
      await Promise.all([page.stop(), slack.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Settings = Record<'token' | 'channel' | 'apiUrl' | 'signingSecret' | 'team', string>;

/** Lets the entries of kind slack send to the stand-in. @returns whether there are any. */
function redirectSlack(folder: string, settings: Settings, channels: Set<string>): boolean {
  const file = join(folder, 'destinations.yaml');
  if (!existsSync(file)) return false;
  const document = parseDocument(readFileSync(file, 'utf8'));
  const entries = Object.entries(asObject(asObject(document.toJS()).destinations)).map(
    ([name, entry]) => [name, asObject(entry)] as const,
  );
  const ofSlack = entries.filter(([, { kind }]) => kind === 'slack');
  for (const [name, entry] of ofSlack) {
    const { tenants, onDoubt, fields, channelFrom, asks } = entry;
    const rest = Object.fromEntries(
      Object.entries({ tenants, onDoubt, fields, channelFrom, asks }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    for (const id of (asObject(channelFrom).allowed as string[] | undefined) ?? []) channels.add(id);
    document.setIn(['destinations', name], {
      kind: 'slack',
      ...settings,
      ...rest,
    });
  }
  writeFileSync(file, document.toString());
  return ofSlack.length > 0;
}

/** Adds a destination, and names it in all chains. */
function addDestination(folder: string, settings: Settings): void {
  const file = join(folder, 'destinations.yaml');
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : 'destinations: {}');
  const chainsFile = join(folder, 'chains.yaml');
  const chains = parseDocument(readFileSync(chainsFile, 'utf8'));
  const asks = { chain: String(chains.get('default')) };
  document.setIn(['destinations', NAME], { kind: 'slack', ...settings, asks });
  writeFileSync(file, document.toString());
  const all = chains.get('chains');
  if (isMap(all))
    for (const { key } of all.items) {
      const path = ['chains', String(key), 'notify'];
      const entry = { to: NAME, when: WHEN };
      if (chains.hasIn(path)) chains.addIn(path, chains.createNode(entry));
      else chains.setIn(path, chains.createNode([entry]));
    }
  writeFileSync(chainsFile, chains.toString());
}
