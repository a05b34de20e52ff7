// Checks of a configuration for a deployment: features that Vertex AI lacks.

import { loadSessionConfig } from '../../shared/config/load.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { type Finding, missing, ok } from './finding.ts';

/** Whether Vertex AI supports the features that the agents use. It cannot combine Gemini's own tools with functions. */
export function checkVertex(configFolder: string): Finding[] {
  const part = 'Vertex AI';
  const { chains } = loadSessionConfig(configFolder, EXTENSION_NAMES);
  const agents = Object.values(chains)
    .flatMap(({ stages }) => stages)
    .flatMap((stage) => stage.agents);
  const combining = agents.filter(({ combineNativeTools }) => combineNativeTools).map(({ name }) => name);
  if (combining.length === 0) return [ok(part, 'supports all features that the agents use')];
  return [
    missing(
      part,
      `cannot combine native tools with others (combineNativeTools): ${[...new Set(combining)].join(', ')}. Give the native tools to an agent of their own, or use the Gemini API ("vertex": false in deploy.tfvars.json)`,
    ),
  ];
}
