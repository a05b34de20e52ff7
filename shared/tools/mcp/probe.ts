// The probe of an interrupted call: a read-only call that reports whether it took effect.

import type { ProbeSettings } from '../../contract/mcpServer.ts';
import type { ExecuteOptions, ProbeResult, ToolCall, ToolOutcome } from '../../core/contract/tools.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/** Exactly one `${arguments.name}` or `${idempotencyKey}`. */
const REFERENCE = /^\$\{(?:arguments\.(.+)|(idempotencyKey))\}$/;

/**
 * The arguments of the probe for a call. Undefined when they refer to an argument that the call does not
 * have: the probe would ask for something else.
 */
export function probeArguments(
  { arguments: patterns }: ProbeSettings,
  call: ToolCall,
  { idempotencyKey }: Pick<ExecuteOptions, 'idempotencyKey'>,
): Record<string, unknown> | undefined {
  const given = parseCallArguments(call.arguments);
  const built: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(patterns)) {
    const [, argument, key] = REFERENCE.exec(text) ?? [];
    if (argument !== undefined && !Object.hasOwn(given, argument)) return undefined;
    built[name] = argument !== undefined ? given[argument] : key !== undefined ? idempotencyKey : text;
  }
  return built;
}

/** Reads a probe's outcome: an answer only if exactly one of the two texts occurs. */
export function readProbe(
  { happened, didNotHappen }: ProbeSettings,
  { content, isError }: ToolOutcome,
): ProbeResult {
  const [yes, no] = [content.includes(happened), content.includes(didNotHappen)];
  if (isError || yes === no) return { answer: 'unclear', content };
  return { answer: yes ? 'happened' : 'did_not_happen', content };
}
