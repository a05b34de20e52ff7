// Faults of a configuration that loads but has parts without effect. Only checks of a configuration report
// them, so a deployed configuration still starts.

import { asArray, asObject, type JsonObject } from '../text/json.ts';
import { lookAlikes, type Remark, unknownKeys } from './agentEntry.ts';
import { labelFaults } from './labelNames.ts';
import { type ConfigFiles, readFolder, readOneFile } from './readFolder.ts';
import { findUnreadFiles } from './unreadFiles.ts';
import { type Fault, faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/**
 * A fault for each file that is not read, text that a comma cuts, and label that no alert has. Includes
 * configurations that fail to load, as far as their files can be read.
 * @throws ConfigError when there is no such folder.
 */
export function ineffectiveFaults(folder: string): Fault[] {
  const read = readFolder(folder, []);
  const files = yamlFiles(read);
  const access = readOneFile(folder, 'access', []);
  return [
    ...findUnreadFiles(folder),
    ...[...files, access].flatMap(({ cuts }) => cuts),
    ...[read.chains, ...read.moreChains, read.triage, read.servers].flatMap(labelFaults),
  ];
}

/** Keywords of JSON Schema that authors use, also those that no agent needs: they are no mistakes. */
const KEYWORDS =
  'type title description default examples example deprecated nullable enum const format pattern properties required items prefixItems additionalProperties patternProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties anyOf oneOf allOf not $ref $defs $id $schema $comment definitions'.split(
    ' ',
  );
const DOCUMENT_KEYS = [...KEYWORDS, 'json_schema_extra'];
const TOOL_KEYS = ['name', 'server', 'description'];

/**
 * A remark for each key of a schema of agents/ that looks like a known one, and for members of access.yaml
 * without a login. Also of a configuration with faults.
 */
export function remarks(folder: string): Fault[] {
  const access = readOneFile(folder, 'access', []);
  return [
    ...readFolder(folder, []).moreAgents.flatMap((file) =>
      keyRemarks(asObject(file.value)).map(({ path, message, what }) => faultAt(file, path, message, what)),
    ),
    ...memberRemarks(access),
  ];
}

function keyRemarks(document: JsonObject): Remark[] {
  const extra = asObject(document.json_schema_extra);
  return [
    ...lookAlikes(document, DOCUMENT_KEYS, []),
    ...fieldsBelow(document, []).flatMap(({ field, path }) => [
      ...lookAlikes(field, KEYWORDS, path),
      ...wordsAsKeys(field, path),
    ]),
    ...unknownKeys(extra),
    ...asArray(extra.tools).flatMap((tool, index) =>
      lookAlikes(asObject(tool), TOOL_KEYS, ['json_schema_extra', 'tools', index]),
    ),
  ];
}

/** The schemas of the fields of a schema, with those of their own fields and entries. */
function fieldsBelow(
  { properties, items }: JsonObject,
  path: YamlPath,
): { field: JsonObject; path: YamlPath }[] {
  const own = Object.entries(asObject(properties)).map(
    ([name, field]) => [asObject(field), [...path, 'properties', name]] as const,
  );
  const entries = items === undefined ? [] : [[asObject(items), [...path, 'items']] as const];
  return [...own, ...entries].flatMap(([field, place]) => [
    { field, path: place },
    ...fieldsBelow(field, place),
  ]);
}

/** No keyword has a blank: `{ description: One of, for example: high }` has the key "for example". */
function wordsAsKeys(field: JsonObject, path: YamlPath): Remark[] {
  const message =
    'is kept and has no effect; if it belongs to the text before it, put that text in quotes: within { } a comma ends it';
  return Object.keys(field).flatMap((key) =>
    /\s/.test(key) && field[key] !== null ? [{ path: [...path, key], message, what: 'key' as const }] : [],
  );
}

function memberRemarks(access: YamlFile): Fault[] {
  const { members, iap, firebase } = asObject(access.value);
  if (asArray(members).length === 0 || iap !== undefined || firebase !== undefined) return [];
  const message =
    'have access to the service console only, whose IAP_AUDIENCE the Terraform module sets; elsewhere add iap or firebase, because keys identify no person';
  return [faultAt(access, ['members'], message, 'key')];
}

function yamlFiles({ moreChains, moreAgents, runbooks: _, skills, ...files }: ConfigFiles): YamlFile[] {
  return [
    ...Object.values(files),
    ...moreChains,
    ...moreAgents,
    ...[...skills.values()].map(({ yaml }) => yaml),
  ];
}
