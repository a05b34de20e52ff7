// The groups of rules that masking.yaml can switch off.

import { findAnnouncedSecrets } from './finders/announcedSecrets.ts';
import { findAssignments } from './finders/assignments.ts';
import { findInArguments } from './finders/commandArguments.ts';
import { findInCommands } from './finders/commands.ts';
import { findHashes } from './finders/hashes.ts';
import { findHeaders } from './finders/headers.ts';
import { findJsonSecrets } from './finders/kubernetesJson.ts';
import { findPrintedSecrets } from './finders/kubernetesPrinted.ts';
import { findFlowSecrets, findYamlSecrets } from './finders/kubernetesYaml.ts';
import { findNamedValues } from './finders/namedValues.ts';
import { findPrivateKeys } from './finders/privateKeys.ts';
import { findInTables } from './finders/tables.ts';
import { findTerraformSecrets } from './finders/terraform.ts';
import { findTokens } from './finders/tokens.ts';
import { findInUrls } from './finders/urls.ts';
import { atOnce, type Finder, type StructureFinder } from './scan/scan.ts';

/** Finders that read a whole text, because their findings can stand anywhere in an object. */
export const STRUCTURES: readonly StructureFinder[] = [
  findYamlSecrets,
  findFlowSecrets,
  findJsonSecrets,
  findPrintedSecrets,
];

/** Finders by group. Of findings at the same place the first group's gives the kind. */
export const GROUPS = {
  kubernetes: STRUCTURES.map(atOnce),
  privateKeys: [findPrivateKeys],
  tokens: [findTokens],
  urls: [findInUrls],
  headers: [findHeaders],
  keyNames: [findAssignments, findNamedValues, findInTables],
  commands: [findInCommands, findInArguments, findTerraformSecrets],
  hashes: [findHashes],
  nearby: [findAnnouncedSecrets],
} satisfies Record<string, readonly Finder[]>;

/** The names that `off` of masking.yaml accepts: groups of rules, and `encoded` (base64, escapes). */
export const MASKING_GROUPS = [...(Object.keys(GROUPS) as (keyof typeof GROUPS)[]), 'encoded'] as const;

/** Name of a group of rules. */
export type MaskingGroup = (typeof MASKING_GROUPS)[number];
