// Checks after changes: `afterChanges` of schedules.yaml. Apart, so that changes need no schedule times.

import * as z from 'zod';
import { CHANGE_KINDS } from '../changes/change.ts';
import { nameSchema } from '../core/schema/common.ts';
import { configFile, loadFile } from './configFile.ts';
import { duration, type KnownNames, referenceTo, strictMapping } from './fields.ts';

const MAX_QUESTION = 10_000;
const MAX_CHANGE_CHECKS = 20;
/** Most faults of a rollout show within some minutes. */
const DEFAULT_AFTER_MS = 10 * 60_000;
const label = z.string().trim().min(1).max(500);

/** A check some time after a change. @param chains the names of chains. */
const changeCheck = (chains: KnownNames) =>
  strictMapping({
    kinds: z.array(z.enum(CHANGE_KINDS)).min(1).default(['deploy']),
    /** Canonical names of resources, with `*`. */
    resources: z.array(label).min(1).max(100).default(['*']),
    /** From the end of the change on. */
    after: duration('24h').default(DEFAULT_AFTER_MS),
    question: z.string().trim().min(1).max(MAX_QUESTION),
    /** Absent: the default chain. */
    chain: referenceTo('chain', chains).optional(),
  });

/** `afterChanges` of schedules.yaml. @param chains the names of chains; undefined if they are unknown. */
export const changeChecksField = (chains: KnownNames) =>
  z
    .record(nameSchema, changeCheck(chains))
    .refine(
      (all) => Object.keys(all).length <= MAX_CHANGE_CHECKS,
      `has more than ${MAX_CHANGE_CHECKS} entries`,
    )
    .default({});

/** Checks after changes, by name. Durations are milliseconds. */
export type ChangeChecks = Readonly<Record<string, z.output<ReturnType<typeof changeCheck>>>>;

/**
 * The checks after changes of a folder; none where the file or folder is missing. The rest of schedules.yaml
 * is not checked.
 * @throws ConfigError with every fault of them.
 */
export function loadChangeChecks(folder: string): ChangeChecks {
  const schema = z.looseObject({ afterChanges: changeChecksField(undefined) });
  return loadFile(configFile({ name: 'schedules', schema: () => schema }), folder).afterChanges;
}
