import { describe, expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { loadConfig } from './load.ts';

/** Loads two entries of one model, and one server, with these limits as YAML. */
function load(flash: string, other: string, server: string) {
  const folder = writeFiles({
    'models.yaml': `default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash${flash}}\n  cheap: {provider: google, model: gemini-3.8-flash${other}}\n`,
    'agents.yaml': 'agents:\n  a:\n    instructions: Look.\n',
    'chains.yaml': 'default: c\nchains:\n  c:\n    stages:\n      - name: look\n        agents: [a]\n',
    'servers.yaml': `servers:\n  logs: {transport: http, url: "https://logs.example/mcp"${server}}\n`,
  });
  return loadConfig(folder, {});
}

describe('limits', () => {
  it('are those of the model and of the server, and not part of the settings of agents', () => {
    const config = load(
      ', limits: {rpm: 60, tpm: 1000}',
      '',
      ', limits: {concurrency: 2, perMinute: 30, bytesPerHour: 5MB}',
    );
    expect(config.quotas).toEqual({
      models: { 'google/gemini-3.8-flash': { rpm: 60, tpm: 1000 } },
      servers: { logs: { concurrency: 2, perMinute: 30, bytesPerHour: 5_000_000 } },
    });
    expect(JSON.stringify(config.askable)).not.toContain('rpm');
  });

  it.each([
    [', limits: {rpm: 0}', '', '', 'models.flash.limits.rpm: must be at least 1'],
    [', limits: {}', '', '', 'models.yaml:3:54 models.flash.limits: must set at least one of rpm and tpm'],
    [', limits: {rps: 1}', '', '', 'unknown key; expected one of rpm, tpm; did you mean "rpm"?'],
    [
      ', limits: {rpm: 1}',
      ', limits: {rpm: 2}',
      '',
      'models.cheap.limits: differs from the limits of "flash", which has the same model; write the same limits, or remove one',
    ],
    [
      ', limits: {rpm: 1, tpm: 5}',
      ', limits: {rpm: 1}',
      '',
      'models.cheap.limits: differs from the limits of "flash"',
    ],
    [
      '',
      '',
      ', limits: {}',
      'servers.logs.limits: must set at least one of concurrency, perMinute and bytesPerHour',
    ],
    ['', '', ', limits: {bytesPerHour: 5}', 'servers.logs.limits.bytesPerHour: must be a size such as'],
  ])('of the entries "%s", "%s" and "%s" have a fault with its place', (flash, other, server, fault) => {
    expect(() => load(flash, other, server)).toThrow(String(fault));
  });
});
