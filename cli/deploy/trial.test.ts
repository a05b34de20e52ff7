// The configuration that `deploy` uses by default.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadConfig } from '../../shared/config/load.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { readSettings } from './variables.ts';

const FOLDER = projectFile('deploy/trial');
const config = loadConfig(FOLDER, {}, EXTENSION_NAMES);

it('a trial needs no secret and no variable', () => {
  const text = readFileSync(`${FOLDER}/servers.yaml`, 'utf8');
  expect(text).not.toContain('${');
  for (const server of Object.values(config.servers))
    expect(server).toMatchObject({ transport: 'http', auth: 'google', access: 'read' });
});

it('its tools are hosted by Google, and read', () => {
  const servers = Object.values(config.servers).map((server) => ('url' in server ? server.url : ''));
  expect(servers).toEqual(['https://logging.googleapis.com/mcp', 'https://monitoring.googleapis.com/mcp']);
  for (const server of Object.values(config.servers)) {
    const { scopes, readOnly } = server as { scopes?: string[]; readOnly?: string[] };
    expect(scopes?.every((scope) => scope.endsWith('.read'))).toBe(true);
    expect(readOnly?.every((tool) => /^(?:list|get|query)_/.test(tool))).toBe(true);
  }
});

it('its tokens of a day are limited', () => {
  expect(config.budgets('investigate').dailyTokens).not.toEqual([]);
});

it('the chain of the test alert has no tools, and no alert gets it by rules', () => {
  const agents = config.chains['deployment-test']?.stages.flatMap(({ agents }) => agents) ?? [];
  expect(agents.map(({ tools }) => tools)).toEqual([[]]);
  expect(config.alertRules['deployment-test'] ?? []).toEqual([]);
});

it('the account of its tools gets the roles in the project of the deployment', () => {
  expect(readSettings(FOLDER, { project: 'shop-prod' })).toEqual({
    tool_roles: { 'shop-prod': ['roles/logging.viewer', 'roles/monitoring.viewer', 'roles/mcp.toolUser'] },
  });
});
