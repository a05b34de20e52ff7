// Identifies the definition of a tool, so that what a person approved is what runs.

import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../contract/tools.ts';

/** A digest of what a tool says of itself and of how it is called: name, description, parameters. 64 bits, as hex. */
export function toolDigest({ name, description, inputSchema }: ToolDefinition): string {
  const definition = JSON.stringify([name, description, inputSchema]);
  return createHash('sha256').update(definition).digest('hex').slice(0, 16);
}
