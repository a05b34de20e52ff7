import { describe, expect, it } from 'vitest';
import { listFaults, writeFiles } from '../../test/support/ownConfig.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { commandFaults } from './checkServers.ts';
import { configVariables } from './configVariables.ts';
import { loadConfig } from './load.ts';
import { unreachableFaults } from './unreachableServers.ts';

function folderWith(servers: string): string {
  return writeFiles({
    'models.yaml': 'default: m\nmodels:\n  m: { provider: google, model: gemini-3.8-flash }\n',
    'agents.yaml': 'agents:\n  a: { instructions: Look., tools: [k] }\n',
    'chains.yaml': 'default: c\nchains:\n  c: { stages: [{ name: s, agents: [a] }] }\n',
    'servers.yaml': `servers:\n  k:\n${servers}`,
  });
}

const faultsOf = (folder: string) => listFaults(() => loadConfig(folder, {}));

const REMOTE = `    transport: http
    readOnly: [get_*]
    headers: { X-Team: shop }
    instances:
      parameter: cluster
      list:
        eu-1: { url: "https://eu.example.com/mcp", headers: { Authorization: "Bearer \${EU_TOKEN}" } }
        us-1: { url: "http://127.0.0.1:1/mcp" }
`;

describe('a server with instances', () => {
  it('gives each the settings of the entry with its own', () => {
    const { k } = loadConfig(folderWith(REMOTE), { EU_TOKEN: 'correct-horse-battery' }).servers;
    expect(k).toMatchObject({ url: 'https://eu.example.com/mcp', instances: { parameter: 'cluster' } });
    expect(k?.instances?.list).toMatchObject({
      'eu-1': {
        url: 'https://eu.example.com/mcp',
        readOnly: ['get_*'],
        headers: { 'X-Team': 'shop', Authorization: 'Bearer correct-horse-battery' },
      },
      'us-1': { url: 'http://127.0.0.1:1/mcp', headers: { 'X-Team': 'shop' } },
    });
    expect(knownSecrets({}, { ...(k && { k }) })).toContain('correct-horse-battery');
  });

  it('needs the variables of its instances, which are secrets', () => {
    const variables = configVariables(folderWith(REMOTE));
    expect(variables).toContainEqual({ name: 'EU_TOKEN', use: 'tools', isSecret: true, isOptional: false });
  });

  it('cannot be deployed with an instance on this machine', () => {
    const folder = folderWith(REMOTE);
    expect(unreachableFaults(folder, { EU_TOKEN: 'x' }).map(({ path: at }) => at)).toEqual([
      'servers.k.instances.list.us-1.url',
    ]);
  });

  it('reports a command that does not exist at its instance', () => {
    const folder = folderWith(
      '    transport: stdio\n    instances: { list: { a: { command: no-such-command-here } } }\n',
    );
    const [fault] = commandFaults(folder, loadConfig(folder, {}), { PATH: '/usr/bin' });
    expect(fault?.path).toBe('servers.k.instances.list.a.command');
  });
});

it.each([
  ['none', '{}', 'instances.list: must name at least one instance'],
  ['a setting that is none of the connection', '{ a: { readOnly: [x] } }', 'unknown key'],
  ['an address that is none', '{ a: { url: nowhere } }', 'must be an http or https URL'],
  [
    'a login, whose token belongs to an entry',
    '{ a: { auth: oauth, oauth: { grant: login } } }',
    'give it an entry of its own',
  ],
])('refuses as instances %s', (_, list, message) => {
  const text = `    transport: http\n    url: https://k.example.com/mcp\n    instances: { list: ${list} }\n`;
  expect(faultsOf(folderWith(text)).join('\n')).toContain(message);
});

it('an entry without an address needs instances', () => {
  expect(faultsOf(folderWith('    transport: http\n'))[0]).toContain('url: is missing; expected text');
});
