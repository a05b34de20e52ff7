// Identifies the definition of a tool, so that what a person approved is what runs.

import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../../contract/tools.ts';

/**
 * A digest of what a tool says of itself and of how it is called: name, description, parameters, and what parameters are
 * bound to. 64 bits, as hex.
 */
export function toolDigest({ name, description, inputSchema, bound = {} }: ToolDefinition): string {
  const definition = JSON.stringify([name, description, inputSchema, bound]);
  return createHash('sha256').update(definition).digest('hex').slice(0, 16);
}
