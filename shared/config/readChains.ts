// Joins the chains of chains.yaml and chains/, in the order in which alerts are matched.

import { type ChainEntry, type ChainReferences, chainFileSchema, chainsFileSchema } from './chainsFile.ts';
import type { KnownNames } from './fields.ts';
import type { ConfigFiles } from './readFolder.ts';
import { validateFile } from './validate.ts';
import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

/** All chains of a configuration. */
export interface Chains {
  /** Name of the chain of alerts that no rule takes. */
  default: string;
  /** By name: those of chains.yaml, then those of the files in chains/, in the order of the files' names. */
  chains: Record<string, ChainEntry>;
  /** The file that defines a chain; chains.yaml for a name that none defines. */
  fileOf(chain: string): YamlFile;
}

/** Validates and joins the files of chains; undefined with faults, which are added to `faults`. */
export function readChains(
  { chains: main, moreChains }: Pick<ConfigFiles, 'chains' | 'moreChains'>,
  names: KnownNames,
  known: ChainReferences,
  faults: Fault[],
): Chains | undefined {
  const first = validateFile(main, chainsFileSchema(names, known, moreChains.length > 0), faults);
  const others = moreChains.map((file) => ({
    file,
    content: validateFile(file, chainFileSchema(known), faults),
  }));
  const chains: Record<string, ChainEntry> = {};
  const files = new Map<string, YamlFile>();
  for (const { file, content } of [{ file: main, content: first }, ...others]) {
    for (const [name, chain] of Object.entries(content?.chains ?? {})) {
      const defined = files.get(name);
      if (defined === undefined) {
        files.set(name, file);
        chains[name] = chain;
        continue;
      }
      const { line } = defined.position(['chains', name], 'key');
      const message = `this chain is already defined (${defined.file}:${line}); give one of them another name`;
      faults.push(faultAt(file, ['chains', name], message, 'key'));
    }
  }
  if (first === undefined || others.some(({ content }) => content === undefined)) return undefined;
  return { default: first.default, chains, fileOf: (name) => files.get(name) ?? main };
}
