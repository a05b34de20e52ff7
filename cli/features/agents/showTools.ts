// `agents show NAME --tools`: the declarations that models are sent.

import { readConfigFolder } from '../../../shared/environment.ts';
import type { Answer } from '../../api/command.ts';
import { escapeHidden, printableText, report } from '../../process/output.ts';
import { type DeclaredTools, declareTools } from './declareTools.ts';

/** The declarations of an agent. Servers and providers that are left out are reported, and end it with 1. */
export async function loadTools(
  { name, stored, yaml, fault }: Answer<'GET /v1/agents/{name}'>,
  config: string | undefined,
  signal: AbortSignal,
): Promise<DeclaredTools> {
  if (fault !== null) throw new Error(`the agent ${name} cannot be used: ${fault}`);
  const folder = config ?? readConfigFolder(process.env);
  const text = stored === null ? undefined : { name, yaml };
  const tools = await declareTools(name, text, { folder, env: process.env, signal });
  for (const { server, message } of tools.missing)
    report(printableText(`the tools of ${server} are missing: ${message}`));
  for (const { provider, fault: refused } of tools.declared)
    if (refused !== null) report(printableText(`${provider} is sent no request: ${refused}`));
  // The first provider is that of the agent's own model.
  if (tools.missing.length > 0 || tools.declared[0]?.fault !== null) process.exitCode = 1;
  return tools;
}

/** The declarations for people: JSON behind a line for each provider. */
export function toolLines({ chain, system, isBound, declared }: DeclaredTools): string[] {
  report(chain === null ? 'as it is outside of chains' : `as in the chain ${chain}`);
  if (!isBound)
    return ['no tools are bound; the system prompt is:', ...system.split('\n').map(printableText)];
  return declared.flatMap(({ provider, model, sent, fault }) =>
    fault === null
      ? [`${provider} (${model}):`, ...JSON.stringify(sent, null, 2).split('\n').map(escapeHidden)]
      : [],
  );
}
