// Loads one file of a folder, for a process that needs nothing else of the configuration.

import type * as z from 'zod';
import { ConfigError, type Fault } from './configError.ts';
import { readOneFile } from './readFolder.ts';
import { validateFile } from './validate.ts';
import type { YamlFile } from './yamlFile.ts';

/** How one file is read. */
interface OneFile<T> {
  name: `${string}.yaml`;
  /** What applies where the folder is missing. */
  absent: T;
  /** The value of the file; undefined when it has faults, which are added to `faults`. */
  read(yaml: YamlFile, faults: Fault[]): T | undefined;
}

/** @throws ConfigError with every fault of the file. */
export function loadOneFile<T>(folder: string, { name, absent, read }: OneFile<T>): T {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, name, faults);
  const value = yaml === undefined ? absent : read(yaml, faults);
  if (value === undefined || faults.length > 0) throw new ConfigError(faults);
  return value;
}

/** Reads a file by its schema. @param schemaOf gets the value of the file. */
export const bySchema =
  <S extends z.ZodType>(schemaOf: (value: unknown) => S) =>
  (yaml: YamlFile, faults: Fault[]): z.output<S> | undefined =>
    validateFile(yaml, schemaOf(yaml.value), faults);
