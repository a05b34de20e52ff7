import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listFaults, temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { loadSessionConfig } from './load.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const FILES = {
  'models.yaml': 'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n',
  'agents.yaml': 'agents:\n  logs: {instructions: Look.}\n',
  'system.yaml': 'runbookHosts: [wiki.example.com, "*.docs.example.com"]\n',
};

/** A configuration whose chain says this of runbooks, with files of runbooks/. */
function load(
  runbook: string,
  runbooks: Record<string, string | Buffer> = {},
  files: Record<string, string> = {},
) {
  const chains = `default: c\nchains:\n  c:\n    stages: [{ name: look, agents: [logs] }]\n${runbook === '' ? '' : `    runbook: ${runbook}\n`}`;
  writeFiles({ ...FILES, 'chains.yaml': chains, ...files }, folder);
  writeFiles(runbooks, path.join(folder, 'runbooks'));
  return loadSessionConfig(folder).runbooks;
}

const faults = (...given: Parameters<typeof load>): string[] => listFaults(() => load(...given));

const key = (name: string, more: object = {}) => ({
  kind: 'key',
  key: name,
  labels: {},
  inFirestore: false,
  ...more,
});

describe('runbook of a chain', () => {
  const OOM = { 'oom.md': '# Memory\n' };

  it.each<[string, object[] | undefined]>([
    ['', undefined],
    ['off', []],
    ['oom', [key('oom')]],
    ['link', [{ kind: 'link' }]],
    [`"\${labels.alertname}"`, [key(`\${labels.alertname}`)]],
    [
      '[{ key: oom, labels: { reason: "OOM*", team: [a, b] } }, { key: stored, in: firestore }, link]',
      [
        key('oom', { labels: { reason: ['OOM*'], team: ['a', 'b'] } }),
        key('stored', { inFirestore: true }),
        { kind: 'link' },
      ],
    ],
  ])('is read: %s', (text, choices) => {
    const config = load(text, OOM);
    expect(config.choices).toEqual(choices === undefined ? {} : { c: choices });
    expect(config).toMatchObject({ hosts: ['wiki.example.com', '*.docs.example.com'], maxBytes: 32_000 });
    expect(config.files).toEqual(new Map([['oom', '# Memory\n']]));
  });

  it.each([
    [
      'omo',
      'chains.yaml:5:14 chains.c.runbook: there is no file runbooks/omo.md; write it, or { key: omo, in: firestore } for one that is stored there; did you mean "oom"?',
    ],
    [
      '[oom, nothing]',
      'chains.yaml:5:20 chains.c.runbook[1]: there is no file runbooks/nothing.md; write it, or { key: nothing, in: firestore } for one that is stored there',
    ],
    [
      '../oom',
      'chains.yaml:5:14 chains.c.runbook: must start with a letter or digit, and hold only letters, digits, "_", "-" and "."',
    ],
    [
      `"\${alertname}"`,
      `chains.yaml:5:14 chains.c.runbook: holds "\${" that is no label of the alert; write \${labels.NAME}`,
    ],
    [
      '[{ key: link }]',
      'chains.yaml:5:22 chains.c.runbook[0].key: "link" stands for the alert\'s own link; choose another key',
    ],
    [
      '[{ key: oom, labels: {}, from: firestore }]',
      'chains.yaml:5:39 chains.c.runbook[0].from: unknown key; expected one of key, labels, in',
    ],
    ['[]', 'chains.yaml:5:5 chains.c.runbook: must hold at least 1'],
  ])('is refused: %s', (text, fault) => {
    expect(faults(text, OOM)).toEqual([fault]);
  });

  it('follows links only where a host is allowed', () => {
    expect(faults('link', {}, { 'system.yaml': '' })).toEqual([
      'chains.yaml:5:14 chains.c.runbook: has no effect: system.yaml allows no host; list the hosts that links can point to under runbookHosts',
    ]);
    for (const host of [
      'https://wiki.example.com',
      'WIKI.example.com',
      '127.0.0.1',
      '[::1]',
      'localhost',
      '*',
      '*.com:443',
      'wiki.example.com/x',
    ]) {
      const [fault] = faults('', {}, { 'system.yaml': `runbookHosts: ["${host}"]\n` });
      expect(fault).toContain('runbookHosts[0]: must be the name of a host in lower case');
    }
  });
});

describe('the files of runbooks/', () => {
  it('are text, and their names are keys', () => {
    expect(
      faults('', {
        'a.md': 'a',
        'a.txt': 'a',
        'b c.md': 'b',
        'empty.md': ' \n',
        'latin.md': Buffer.from([0xfc]),
        'long.md': 'x'.repeat(256_001),
        'picture.png': Buffer.from([0xff]),
        '.hidden.md': '',
      }),
    ).toEqual([
      'runbooks/a.txt there is a runbook "a" with another ending already; keep one of them',
      'runbooks/b c.md its name must start with a letter or digit, and hold only letters, digits, "_", "-" and "."',
      'runbooks/empty.md is empty; write the runbook, or remove the file',
      'runbooks/latin.md is not UTF-8 text; save it as UTF-8',
      'runbooks/long.md has 256001 bytes; a runbook can have at most 256000',
    ]);
  });
});
