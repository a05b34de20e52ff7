// A file of a configuration is one row: its name and its schema. `configFiles.ts` lists the rows.

import type * as z from 'zod';
import { ConfigError } from './configError.ts';
import type { KnownNames } from './fields.ts';
import { type ConfigFileName, readOneFile } from './readFolder.ts';
import { validateFile } from './validate.ts';
import type { Fault, YamlFile } from './yamlFile.ts';

/** What a file is read with. */
interface Context {
  /** The folder of the configuration. */
  folder: string;
  /** The names that other files define. Absent names are not checked. */
  known?: { chains?: KnownNames; destinations?: KnownNames };
}

/** A file of a configuration. */
export interface ConfigFile<N extends ConfigFileName = ConfigFileName, T = unknown> {
  /** Without `.yaml`. */
  name: N;
  /** The content of the file; undefined when it has faults, which are added to `faults`. */
  read(yaml: YamlFile, context: Context, faults: Fault[]): T | undefined;
}

/** Defines a file by its schema, which can depend on the names of other files and on the file's own value. */
export function configFile<const N extends ConfigFileName, S extends z.ZodType>(row: {
  name: N;
  schema(known: NonNullable<Context['known']>, value: unknown): S;
}): ConfigFile<N, z.output<S>> {
  return {
    name: row.name,
    read: (yaml, { known = {} }, faults) => validateFile(yaml, row.schema(known, yaml.value), faults),
  };
}

/** The contents of files, by name. */
type Contents<F extends readonly ConfigFile[]> = {
  [One in F[number] as One['name']]: NonNullable<ReturnType<One['read']>>;
};

/** Reads each file of a list. Adds faults to `faults`; the contents are complete only without any. */
export function readFiles<const F extends readonly ConfigFile[]>(
  files: F,
  yaml: Readonly<Record<F[number]['name'], YamlFile>>,
  context: Context,
  faults: Fault[],
): Contents<F> {
  const read = ({ name, read }: ConfigFile) => [name, read(yaml[name as F[number]['name']], context, faults)];
  return Object.fromEntries(files.map(read)) as Contents<F>;
}

/**
 * Loads only one file, for a process that needs nothing else of the configuration. Its defaults apply where
 * the file or folder is missing.
 * @throws ConfigError with every fault of the file.
 */
export function loadFile<T>(file: ConfigFile<ConfigFileName, T>, folder: string): T {
  const { content, faults } = readAlone(file, folder);
  if (content === undefined || faults.length > 0) throw new ConfigError(faults);
  return content;
}

/** The faults of a file. */
export const fileFaults = (file: ConfigFile, folder: string): Fault[] => readAlone(file, folder).faults;

function readAlone<T>(file: ConfigFile<ConfigFileName, T>, folder: string) {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, file.name, faults);
  return { content: file.read(yaml, { folder }, faults), faults };
}
