// Secrets in Terraform resources with neutral arguments: `kubernetes_secret`, in files, plans, states.

import type { Scan } from '../scan/scan.ts';
import { isPlaceholder } from '../scan/values.ts';

const RESOURCE =
  /\b(?:resource|data)\s{1,8}"?((?:kubernetes_secret(?:_v1)?(?:_data)?|random_password|azurerm_key_vault_secret|vault_(?:generic|kv)_secret\w{0,10}|gitlab_\w{0,20}variable|github_\w{1,20}_secret|aws_ssm_parameter|tfe_variable))"?\s{1,8}"?[\w.-]{1,200}"?\s{0,8}\{/g;
const BRACE = /"(?:[^"\\\n]|\\.){0,8192}"|[{}]/g;
const MAX_RESOURCE = 65_536;
/** The arguments of `kubernetes_secret` that hold values, up to the end of their map. */
const MAP = /\b(?:data|binary_data|string_data|data_wo)\s{0,20}=\s{0,8}(?:\w{1,20}\()?\{([^}]{0,32768})/g;
/** Arguments of the other resources. */
const ARGUMENT =
  /^[ \t]*[+~-]?[ \t]*(?:result|bcrypt_hash|value|value_wo|plaintext_value|encrypted_value|data_json)\s{1,40}=\s{1,8}(?=")/gm;
/** A key and its value, or the old and the new one. */
const ENTRY = /(?:"[^"\n]{1,253}"|[\w./-]{1,253})\s{0,60}[=:]\s{0,8}"/g;
const VALUE = /((?:[^"\\\n]|\\.){1,8192})"(?:\s{0,8}->\s{0,8}"((?:[^"\\\n]|\\.){1,8192})")?/y;

/** Finds the values of Secrets in HCL. */
export function findTerraformSecrets(scan: Scan): void {
  const { text } = scan;
  RESOURCE.lastIndex = 0;
  for (let hit = RESOURCE.exec(text); hit !== null; hit = RESOURCE.exec(text)) {
    const start = hit.index + hit[0].length;
    const window = text.slice(start, start + MAX_RESOURCE);
    const body = window.slice(0, endOfBlock(window));
    scan.spend(body.length);
    if (hit[1]?.startsWith('kubernetes')) {
      for (const { index, 0: map, 1: entries = '' } of body.matchAll(MAP))
        for (const entry of entries.matchAll(ENTRY))
          reportValues(scan, start + index + map.length - entries.length + entry.index + entry[0].length);
    } else if (hit[1] !== 'aws_ssm_parameter' || /"SecureString"/.test(body)) {
      for (const argument of body.matchAll(ARGUMENT))
        reportValues(scan, start + argument.index + argument[0].length + 1);
    }
    RESOURCE.lastIndex = start + body.length;
  }
}

/** Where the block ends that a text starts in: at the brace that closes it, or with the text. */
function endOfBlock(text: string): number {
  let depth = 1;
  for (const { index, 0: sign } of text.matchAll(BRACE)) {
    if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return index;
  }
  return text.length;
}

/** Reports the text in quotes that starts at `start`, and the one that a plan replaces it with. */
function reportValues(scan: Scan, start: number): void {
  VALUE.lastIndex = start;
  const found = VALUE.exec(scan.text);
  if (found === null) return;
  const [whole, value = '', changed] = found;
  if (!isPlaceholder(value)) scan.found(start, start + value.length, 'kubernetes-secret');
  const end = start + whole.length - 1;
  if (changed !== undefined && !isPlaceholder(changed))
    scan.found(end - changed.length, end, 'kubernetes-secret');
}
