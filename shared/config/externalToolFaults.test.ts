import { beforeEach, describe, expect, it } from 'vitest';
import { listFaults, temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { hintedToolFaults } from './externalToolFaults.ts';
import { loadConfig, loadSessionConfig } from './load.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** A configuration with one agent; the server `web` reaches outside, `k8s` is private. */
function write(agent: string): void {
  const files = {
    'models.yaml': 'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n',
    'agents.yaml': `agents:\n  a:\n    instructions: Look.\n${agent}`,
    'chains.yaml': 'default: c\nchains:\n  c:\n    stages:\n      - name: look\n        agents: [a]\n',
    'servers.yaml':
      'servers:\n  k8s: {transport: http, url: "https://k8s.example/mcp"}\n  web: {transport: http, url: "https://web.example/mcp", reaches: outside}\n',
  };
  writeFiles(files, folder);
}
const faultOf = (
  agent: string,
  load: (folder: string, env: NodeJS.ProcessEnv) => unknown = loadConfig,
): string => {
  write(agent);
  return listFaults(() => load(folder, {})).join('\n') || 'no fault';
};

describe('an agent with private tools and ones that reach outside', () => {
  it.each([
    [
      'a native one',
      '    tools: [k8s]\n    nativeTools: [code_execution, google_search]\n',
      'agents.yaml:5:35 agents.a.nativeTools[1]: google_search reaches outside, but k8s is private',
    ],
    [
      'a native one beside it',
      '    tools: [k8s.get_logs]\n    nativeTools: [url_context]\n    combineNativeTools: true\n',
      'agents.yaml:5:19 agents.a.nativeTools[0]: url_context reaches outside, but k8s.get_logs is private',
    ],
    [
      'one of a server',
      '    tools: [k8s, web.fetch]\n',
      'agents.yaml:4:18 agents.a.tools[1]: web.fetch reaches outside, but k8s is private',
    ],
  ])('is a fault with file, line and fix: %s', (_, agent, expected) => {
    for (const load of [loadConfig, (from: string) => loadSessionConfig(from)]) {
      const fault = faultOf(agent, load);
      expect(fault).toContain(expected);
      expect(fault).toContain('set outsideTools: together');
      expect(fault).toContain('reaches: outside for "k8s" in servers.yaml');
    }
  });

  it.each([
    ['it is to have both', '    tools: [k8s, web]\n    outsideTools: together\n'],
    [
      'none of them is private',
      '    tools: [web]\n    nativeTools: [google_search]\n    combineNativeTools: true\n',
    ],
    ['none of them reaches outside', '    tools: [k8s]\n    nativeTools: [code_execution]\n'],
    ['it has no tools of servers', '    nativeTools: [google_search, url_context]\n'],
  ])('is none where %s', (_, agent) => {
    expect(faultOf(agent)).toBe('no fault');
  });
});

describe('a tool that its server hints to reach outside', () => {
  const offered = new Map([
    ['k8s', ['get_logs', 'post']],
    ['web', ['fetch', 'search']],
  ]);
  const check = (agent: string, hinted: string[] = ['post'], server = 'k8s') => {
    write(agent);
    return hintedToolFaults(folder, offered, new Map([[server, hinted]]));
  };

  it('is a fault where an agent with private tools names it', () => {
    const { faults, withheld } = check('    tools: [k8s.get_logs, k8s.post]\n');
    expect(withheld).toEqual([{ agent: 'a', tool: 'k8s.post' }]);
    expect(faults).toMatchObject([
      {
        position: { line: 4, column: 27 },
        message: expect.stringMatching(/Set reaches: inside for "k8s".* set outsideTools: together to allow/),
      },
    ]);
  });

  it('is only reported where an agent names its server', () => {
    expect(check('    tools: [k8s]\n')).toEqual({ faults: [], withheld: [{ agent: 'a', tool: 'k8s.post' }] });
  });

  it.each([
    ['without private tools', '    tools: [k8s.post]\n', ['post']],
    ['of which all are hinted', '    tools: [k8s]\n', ['get_logs', 'post']],
    ['that may have both', '    tools: [k8s]\n    outsideTools: together\n', ['post']],
    ['whose other tools reach outside', '    tools: [web.fetch, web.search]\n', ['search'], 'web'],
  ])('is neither for an agent %s', (_, agent, hinted, server = 'k8s') => {
    expect(check(agent, hinted, server)).toEqual({ faults: [], withheld: [] });
  });
});
