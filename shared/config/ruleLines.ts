// The lines of the configuration that decide about alerts, for the fates of alerts. Pure.

import path from 'node:path';
import type { RulePlace } from '../alerts/schema/alertFate.ts';
import { asObject } from '../text/json.ts';
import type { YamlFile, YamlPath } from './yamlFile.ts';

/**
 * Lines by the key that they define: `rule.NAME` and `default` of triage.yaml, `system.KEY` of system.yaml,
 * and `chain.NAME.KEY` of the files with chains. Keys that no file sets are missing.
 */
export type RuleLines = Readonly<Record<string, RulePlace>>;

/** The files whose lines are kept. */
interface RuleFiles {
  triage: YamlFile;
  system: YamlFile;
  /** chains.yaml, and the files in chains/. */
  chains: readonly YamlFile[];
}

/** The places of all rules and limits that decide about alerts. */
export function listRuleLines({ triage, system, chains }: RuleFiles): RuleLines {
  const places: [string, RulePlace][] = [];
  const add = (key: string, yaml: YamlFile, at: YamlPath) => {
    const { line } = yaml.position(at, 'key');
    places.push([key, { file: configFileName(yaml.file), line }]);
  };
  const { rules, default: usual } = asObject(triage.value);
  for (const [index, rule] of (Array.isArray(rules) ? rules : []).entries())
    add(`rule.${String(asObject(rule).name)}`, triage, ['rules', index]);
  if (usual !== undefined) add('default', triage, ['default']);
  for (const key of Object.keys(asObject(system.value))) add(`system.${key}`, system, [key]);
  for (const yaml of chains)
    for (const [chain, entry] of Object.entries(asObject(asObject(yaml.value).chains)))
      for (const key of Object.keys(asObject(entry)))
        add(`chain.${chain}.${key}`, yaml, ['chains', chain, key]);
  return Object.fromEntries(places);
}

/** `triage.yaml`, `chains/shop.yaml`: without the configuration's folder, which differs by machine. */
function configFileName(file: string): string {
  const folder = path.basename(path.dirname(file));
  return folder === 'chains' ? `${folder}/${path.basename(file)}` : path.basename(file);
}
