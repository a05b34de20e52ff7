// Shows on a page of this machine what Slack would get: a stand-in, and a copy of the configuration whose messages go there.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { serveSlackPage } from '../../local/destinations/slackPage.ts';
import { startSlackServer } from '../../local/destinations/slackServer.ts';
import { asObject } from '../../shared/text/json.ts';

const TOKEN = 'xoxb-stand-in-of-this-machine';
const CHANNEL = 'C0000000000';
const NAME = 'slack-page';
const WHEN = ['opened', 'approval', 'ended', 'failed', 'deferred'];

/** A stand-in that runs, with its page. */
interface ShownSlack {
  /** The copy of the configuration. */
  configFolder: string;
  /** Address of the page. */
  url: string;
  /** Stops both and removes the copy. */
  stop(): Promise<void>;
}

/**
 * Starts the stand-in. In the copy of `configFolder`, all entries of kind slack send to it; without one, all chains get one
 * more destination that does.
 */
export async function showSlack(configFolder: string): Promise<ShownSlack> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-slack-'));
  cpSync(configFolder, folder, { recursive: true });
  const channels = new Set([CHANNEL]);
  const slack = await startSlackServer({
    token: TOKEN,
    // Every channel that the configuration names exists.
    channels: new Proxy({}, { get: (_, name) => (channels.has(String(name)) ? 'member' : undefined) }),
  });
  const hasSlack = redirect(folder, slack.url, channels);
  if (!hasSlack) addDestination(folder, slack.url);
  const page = await serveSlackPage(slack.posts);
  return {
    configFolder: folder,
    url: page.url,
    async stop() {
      await Promise.all([page.stop(), slack.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Lets the entries of kind slack send to the stand-in. @returns whether there are any. */
function redirect(folder: string, apiUrl: string, channels: Set<string>): boolean {
  const file = join(folder, 'destinations.yaml');
  if (!existsSync(file)) return false;
  const document = parseDocument(readFileSync(file, 'utf8'));
  const entries = Object.entries(asObject(asObject(document.toJS()).destinations)).map(
    ([name, entry]) => [name, asObject(entry)] as const,
  );
  const ofSlack = entries.filter(([, { kind }]) => kind === 'slack');
  for (const [name, entry] of ofSlack) {
    const { tenants, onDoubt, channelFrom } = entry;
    const rest = Object.fromEntries(
      Object.entries({ tenants, onDoubt, channelFrom }).filter(([, value]) => value !== undefined),
    );
    for (const id of (asObject(channelFrom).allowed as string[] | undefined) ?? []) channels.add(id);
    document.setIn(['destinations', name], {
      kind: 'slack',
      token: TOKEN,
      channel: CHANNEL,
      apiUrl,
      ...rest,
    });
  }
  writeFileSync(file, document.toString());
  return ofSlack.length > 0;
}

/** Adds a destination, and names it in all chains. */
function addDestination(folder: string, apiUrl: string): void {
  const file = join(folder, 'destinations.yaml');
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : 'destinations: {}');
  document.setIn(['destinations', NAME], { kind: 'slack', token: TOKEN, channel: CHANNEL, apiUrl });
  writeFileSync(file, document.toString());
  const chainsFile = join(folder, 'chains.yaml');
  const chains = parseDocument(readFileSync(chainsFile, 'utf8'));
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
