// The source of the module with the generated formats of tokens.

import { formatsOf, type LeakRule } from './formatOf.ts';

const HEADER = `// Formats of tokens that \`npm run update-token-formats\` generates; changes by hand are lost. Facts (heads, alphabets, lengths)
// of the rules of gitleaks (https://github.com/gitleaks/gitleaks), MIT License, Copyright (c) 2019 Zachary Rice.

import type { TokenFormat } from './tokenFormats.ts';

/** Formats in the order of their kinds. Those of \`tokenFormats.ts\` take precedence. */
export const GENERATED_FORMATS: readonly TokenFormat[] = [
`;

/** The module, its number of formats, and rules without, with reasons. Deterministic. */
export function generatedModule(rules: readonly LeakRule[]): {
  source: string;
  formats: number;
  skipped: { id: string; reason: string }[];
} {
  const skipped: { id: string; reason: string }[] = [];
  const lines = rules.flatMap((rule) => {
    const formats = formatsOf(rule);
    if (typeof formats !== 'string') return formats.map((format) => `  ${JSON.stringify(format)},\n`);
    skipped.push({ id: rule.id, reason: formats });
    return [];
  });
  return { source: `${HEADER}${lines.sort().join('')}];\n`, formats: lines.length, skipped };
}
