// The pinned server of every pack that npm has, started without an account: its tools are those of the pack.
// Servers of vendors, and those of PyPI, are not started: their packs state what their lists were checked
// against.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareTools } from '../../cli/packs/checkPack.ts';
import { type PackServer, packNames, readPack } from '../../cli/packs/pack.ts';
import { askServers } from '../../local/askServers.ts';
import { asArray, asObject, asText } from '../../shared/text/json.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { KUBERNETES_SERVER, runsKubernetes } from '../support/realParts.ts';

const TIMEOUT_MS = 120_000;
const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url));

const STARTED = packNames()
  .map(readPack)
  .filter(({ listChecked }) => listChecked.against === 'server')
  .flatMap(({ listChecked, servers }) => servers.map((server) => ({ ...server, date: listChecked.date })));

/** A server's package in test/packages: of kubernetes-mcp-server that of one platform. */
function installedPackage({ downloads = '' }: PackServer): { folder: string; version: string } {
  const at = downloads.lastIndexOf('@');
  const name = downloads.slice(0, at);
  const folder = join(PACKAGES, name === 'kubernetes-mcp-server' ? `${name}-linux-amd64` : name);
  return { folder, version: downloads.slice(at + 1) };
}

/** The command that starts the installed package, in place of npx. */
function startCommand(folder: string): string[] {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (folder.includes('kubernetes')) return [KUBERNETES_SERVER];
  const script = typeof bin === 'string' ? bin : Object.values(asObject(bin))[0];
  return ['node', join(folder, asText(script) ?? '')];
}

/** Settings without a default have a value that no service knows. */
function settingsOf(server: PackServer): Record<string, string> {
  const names = [...server.yaml.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, 'http://127.0.0.1:9']));
}

describe.each(STARTED)('the pinned server of $name', (server) => {
  const { folder, version } = installedPackage(server);

  it.runIf(server.name !== 'kubernetes' || runsKubernetes)(
    'has the version and the tools of the pack',
    async () => {
      expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version).toBe(version);
      const own = asObject(server.server);
      const [command = '', ...first] = startCommand(folder);
      const args = asArray(own.args);
      const entry = {
        ...own,
        command,
        args: [...first, ...args.slice(args.indexOf(server.downloads) + 1)],
      };
      const config = ownConfig({ servers: { [server.name]: entry } });
      const env = { ...process.env, ...settingsOf(server), KUBECONFIG_FILE: kubeconfigFile(config) };
      const [answer] = await askServers(config, env, AbortSignal.timeout(TIMEOUT_MS), {
        [server.name]: null,
      });
      expect(answer).toMatchObject({ digests: expect.anything() });
      if (answer === undefined || 'message' in answer) return;
      const { digests } = answer;
      const { lines } = compareTools(server, server.date, { digests, readOnly: Object.keys(server.tools) });
      expect(lines[0]).toMatch(/^no difference/);
    },
  );
});

/** A kubeconfig of a cluster that nobody reaches. */
function kubeconfigFile(folder: string): string {
  const file = join(folder, 'kubeconfig');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
    users: [{ name: 'reader', user: { token: 'reader' } }],
    contexts: [{ name: 'none', context: { cluster: 'none', user: 'reader' } }],
    'current-context': 'none',
  };
  writeFileSync(file, JSON.stringify(kubeconfig));
  return file;
}
