// Identifies the definition of a tool, so that a call runs only with the definition that a person approved.

import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../contract/tools.ts';

/**
 * Returns a digest of a tool's definition: name, version, description, parameters, and bound parameters. 64
 * bits, as hex.
 */
export function toolDigest({ name, version, description, inputSchema, bound = {} }: ToolDefinition): string {
  const parts = [name, description, inputSchema, bound];
  const definition = JSON.stringify(version === undefined ? parts : [...parts, version]);
  return createHash('sha256').update(definition).digest('hex').slice(0, 16);
}
