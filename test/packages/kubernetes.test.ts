// kubernetes-mcp-server against a recorded cluster: every read-only tool of its pack answers. The program
// itself is a package of test/packages; the package that chooses it by platform is left out, and so this runs
// on Linux with x64 only.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { readPack } from '../../cli/packs/pack.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { KUBERNETES_SERVER, runsKubernetes } from '../support/realParts.ts';
import { startApiServer } from '../worlds/kubernetes/apiServer.ts';
import { KINDS, OBJECTS } from '../worlds/kubernetes/cluster.ts';

const TIMEOUT_MS = 60_000;
const RECORDED = fileURLToPath(new URL('../worlds/kubernetes/recorded.json', import.meta.url));
const POD = { namespace: 'shop', name: 'checkout-7d9c6bf8d4-x2kqp' };

/** Calls of each tool of the pack, and a text that its answers have. */
const CALLS: Record<string, [args: object, text: string][]> = {
  events_list: [[{ namespace: 'shop' }, 'Back-off restarting failed container']],
  namespaces_list: [[{}, 'shop']],
  nodes_log: [[{ name: 'node-1', query: 'kubelet' }, 'kubelet: started']],
  nodes_stats_summary: [[{ name: 'node-1' }, 'workingSetBytes']],
  nodes_top: [[{}, '1712Mi']],
  pods_get: [
    [POD, 'OOMKilled'],
    [{ namespace: 'shop', name: 'checkout-7d9c6bf8d4-9wz4m' }, 'Running'],
    [{ namespace: 'shop', name: 'cache-5c7f9d4b68-ll2vq' }, 'Evicted'],
  ],
  pods_list: [[{}, POD.name]],
  pods_list_in_namespace: [
    [{ namespace: 'shop' }, POD.name],
    [{ namespace: 'shpo' }, ''],
  ],
  pods_log: [[POD, 'heap at 251 MiB of 256 MiB']],
  pods_top: [[{ namespace: 'shop' }, '251Mi']],
  resources_get: [
    [{ apiVersion: 'v1', kind: 'Pod', ...POD }, 'OOMKilled'],
    ...KINDS.filter(({ kind }) => !['Pod', 'Event'].includes(kind)).map(
      ({ apiVersion, kind }): [object, string] => {
        const { name, namespace } = OBJECTS.findLast((one) => one.kind === kind)?.metadata ?? {};
        return [{ apiVersion, kind, name, ...(namespace && { namespace }) }, `kind: ${kind}`];
      },
    ),
  ],
  resources_list: [
    [{ apiVersion: 'v1', kind: 'Pod', namespace: 'shop' }, POD.name],
    ...KINDS.filter(({ kind }) => !['Pod', 'Event', 'Namespace'].includes(kind)).map(
      ({ apiVersion, kind, isNamespaced }): [object, string] => [
        { apiVersion, kind, ...(isNamespaced && { namespace: 'shop' }) },
        kind,
      ],
    ),
  ],
};

it.runIf(runsKubernetes)(
  'the configuration of the pack kubernetes passes `packs check`, and every tool of it answers',
  async () => {
    const folder = temporaryFolder();
    const api = await startApiServer();
    onTestFinished(() => api.stop());
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(api.url));
    const config = join(folder, 'my-config');
    const setting = `KUBECONFIG_FILE=${kubeconfig}`;
    const args = ['init', config, '--yes', '--no-check', '--observe', 'kubernetes', '--set', setting];
    expect(await runCommand(args)).toMatchObject({ code: 0 });
    const file = join(config, 'servers.yaml');
    const written = readFileSync(file, 'utf8');
    const started = written
      .replace('command: npx', `command: ${KUBERNETES_SERVER}`)
      .replace('"--yes", "kubernetes-mcp-server@0.0.67", ', '');
    expect(started.length).not.toBe(written.length);
    writeFileSync(file, started);
    expect(await runCommand(['packs', 'check', '--config', config])).toMatchObject({
      code: 0,
      stdout: [
        'kubernetes   no difference: kubernetes has the 12 tools of the pack',
        // Of OpenShift.
        'kubernetes   not in the pack, and not offered: projects_list',
        'kubernetes   without a field list, so a text to a verdict: nodes_stats_summary',
      ],
    });

    const { servers } = loadConfig(config, { ...process.env, KUBECONFIG_FILE: kubeconfig });
    const [source] = mcpSources(servers);
    const connection = await source?.connect(AbortSignal.timeout(TIMEOUT_MS));
    onTestFinished(() => connection?.close());
    const offered = connection?.tools.map(({ name }) => name.replace('kubernetes.', '')) ?? [];
    expect(offered.toSorted()).toEqual(Object.keys(CALLS));
    expect(Object.keys(readPack('kubernetes').servers[0]?.tools ?? {}).toSorted()).toEqual(
      Object.keys(CALLS),
    );
    const calls = Object.entries(CALLS).flatMap(([tool, own]) =>
      own.map(([given, text]) => ({ tool, given, text })),
    );
    const answers = [];
    for (const { tool, given, text } of calls) {
      const call = { callId: tool, name: `kubernetes.${tool}`, arguments: JSON.stringify(given) };
      const outcome = await connection?.call(call, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        timeoutMs: TIMEOUT_MS,
        maxResultBytes: 64_000,
        mask: (content) => ({ text: content, count: 0 }),
        idempotencyKey: tool,
        traceparent: null,
      });
      expect(outcome, tool).toMatchObject({ isError: false, content: expect.stringContaining(text) });
      answers.push({ tool: call.name, arguments: given, text: outcome?.content });
    }
    // The recordings that the tests of the field list read: `vitest -u` writes them.
    await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot(RECORDED);
    expect(api.unknown).toEqual([]);
  },
);

const kubeconfigText = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'recorded', cluster: { server } }],
    users: [{ name: 'reader', user: { token: 'reader' } }],
    contexts: [{ name: 'recorded', context: { cluster: 'recorded', user: 'reader' } }],
    'current-context': 'recorded',
  });
