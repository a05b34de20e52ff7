import { expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { projectFile } from '../projectFiles.ts';
import { faultLine } from './configError.ts';
import { unreachableFaults } from './unreachableServers.ts';

function faultsOf(url: string, env: NodeJS.ProcessEnv = {}): string[] {
  const folder = writeFiles({
    'servers.yaml': `servers:\n  tools:\n    transport: http\n    url: "${url}"\n`,
  });
  return unreachableFaults(folder, env).map(faultLine);
}

it.each([
  'http://127.0.0.1:8765/mcp',
  'http://127.1.2.3/mcp',
  'http://localhost:1/mcp',
  'http://mcp.localhost/',
  'http://[::1]:8765/mcp',
  'http://[::ffff:127.0.0.1]/mcp',
  'http://0.0.0.0:8765/mcp',
])('%s is refused, with its place and the fix', (url) => {
  expect(faultsOf(url)).toEqual([
    expect.stringMatching(
      /servers\.yaml:4:10 servers\.tools\.url: is an address of this machine, .* write the server's address, or remove .*`build --local`/,
    ),
  ]);
});

it.each(['https://mcp.example.com/mcp', 'http://10.0.0.7:8765/mcp', 'http://localhost.example.com/'])(
  '%s is accepted',
  (url) => {
    expect(faultsOf(url)).toEqual([]);
  },
);

it('the default of a variable is refused until the variable is set', () => {
  const url = `$${'{'}MCP_URL:-http://127.0.0.1:1/mcp}`;
  expect(faultsOf(url)).toEqual([
    expect.stringContaining("set MCP_URL to the server's address, here and for"),
  ]);
  expect(faultsOf(url, { MCP_URL: 'https://mcp.example.com' })).toEqual([]);
  expect(faultsOf(`$${'{'}MCP_URL}`)).toEqual([]);
});

it('the default configuration needs the address of its server, and a folder without servers needs none', () => {
  expect(unreachableFaults(projectFile('config'), {})).toHaveLength(1);
  expect(unreachableFaults('/nosuch', {})).toEqual([]);
});

it('a server that only recorded cases answer for is refused', () => {
  expect(unreachableFaults(projectFile('examples/cases/config'), {}).map(faultLine)).toEqual(
    ['kubernetes', 'prometheus', 'logging'].map((name) =>
      expect.stringMatching(
        new RegExp(`servers\\.yaml:\\d+:\\d+ servers\\.${name}\\.transport: has no connection: `),
      ),
    ),
  );
});
