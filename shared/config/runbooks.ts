// The runbooks of a configuration, and the faults in the runbook settings of chains.

import { asObject } from '../text/json.ts';
import { closestTo } from '../text/suggest.ts';
import type { RunbookConfig } from './config.ts';
import { DEFAULT_RUNBOOK_BYTES } from './defaults.ts';
import type { Files } from './files.ts';
import type { RunbookChoice } from './runbookFields.ts';
import { type Fault, faultAt } from './yamlFile.ts';

/** No runbooks. @internal */
export const NO_RUNBOOKS: RunbookConfig = {
  files: new Map(),
  hosts: [],
  maxBytes: DEFAULT_RUNBOOK_BYTES,
  choices: {},
};

/** The runbooks of validated files. */
export function runbookConfig({ chains, system }: Files, files: ReadonlyMap<string, string>): RunbookConfig {
  return {
    files,
    hosts: system.runbookHosts ?? [],
    maxBytes: system.runbookLimit ?? DEFAULT_RUNBOOK_BYTES,
    choices: Object.fromEntries(
      Object.entries(chains.chains).flatMap(([name, { runbook }]) =>
        runbook === undefined ? [] : [[name, runbook] as const],
      ),
    ),
  };
}

/** Faults of validated chains: keys without a file, and links that lead nowhere. */
export function runbookFaults(
  { chains, system }: Pick<Files, 'chains' | 'system'>,
  files: ReadonlyMap<string, string>,
): Fault[] {
  const hosts = system.runbookHosts ?? [];
  return Object.entries(chains.chains).flatMap(([chain, { runbook = [] }]) =>
    runbook.flatMap((choice, index) => {
      const message = choiceFault(choice, hosts, files);
      if (message === undefined) return [];
      const yaml = chains.fileOf(chain);
      const path = ['chains', chain, 'runbook'];
      const written = asObject(asObject(asObject(yaml.value).chains)[chain]).runbook;
      return [faultAt(yaml, Array.isArray(written) ? [...path, index] : path, message)];
    }),
  );
}

function choiceFault(
  choice: RunbookChoice,
  hosts: readonly string[],
  files: ReadonlyMap<string, string>,
): string | undefined {
  if (choice.kind === 'link')
    return hosts.length > 0
      ? undefined
      : 'has no effect: system.yaml allows no host; list the hosts that links can point to under runbookHosts';
  const { key, inFirestore } = choice;
  if (key.includes('${') || files.has(key)) return undefined;
  if (inFirestore) return undefined;
  const closest = closestTo(key, [...files.keys()]);
  const hint = closest === undefined ? '' : `; did you mean "${closest}"?`;
  return `there is no file runbooks/${key}.md; write it, or { key: ${key}, in: firestore } for one that is stored there${hint}`;
}
