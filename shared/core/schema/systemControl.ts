// system/control: whether the installation is paused. It does not exist before the first pause.

import * as z from 'zod';
import { defineCollection } from './defineCollection.ts';

/** Who needs a pause of the installation: operators, or a deployment that applies a release. */
const pauseOwnerSchema = z.enum(['operator', 'deployment']);
/** Who needs a pause. */
export type PauseOwner = z.infer<typeof pauseOwnerSchema>;

/** The control state of the installation as it is stored. */
export const systemControlSchema = z.strictObject({
  /** The current pause; null while the installation runs. The sweep ends a pause after `until`. */
  paused: z
    .strictObject({
      by: z.string().min(1),
      /** Who needs the pause; it ends when none of them does. Absent: operators. */
      owners: z.array(pauseOwnerSchema).min(1).optional(),
      at: z.date(),
      /** The end of the pause, unless it is renewed. A resume sets it to the current time. */
      until: z.date(),
      /** Who ended the pause before its time; null if it ran out. */
      resumedBy: z.string().min(1).nullable(),
    })
    .nullable(),
  expireAt: z.date(),
});
/** The control state of the installation. */
export type SystemControl = z.infer<typeof systemControlSchema>;
/** A pause of the installation. */
export type SystemPause = NonNullable<SystemControl['paused']>;

export const systemControlType = defineCollection({
  collection: 'system',
  name: 'systemControl',
  schema: systemControlSchema,
  paths: { systemControl: 'system/control' },
  // Approvals of every tenant depend on the pause of the installation.
  owner: 'shared',
  erase: { none: 'the pause of the whole installation' },
});
