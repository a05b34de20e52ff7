// The parts that demos share: their options, their project, and the command for another terminal.

import { randomUUID } from 'node:crypto';
import { usesVertex } from '../../../local/model.ts';
import { readProjectId } from '../../../shared/environment.ts';
import { readEmulatorAddress } from '../../../shared/store/emulator.ts';
import type { LocalOptions } from '../../system/openSystem.ts';

/** The options of the command. */
export interface DemoOptions extends LocalOptions {
  json?: boolean;
  verbose?: boolean;
  keep?: boolean;
}

/**
 * The project of the demo. Emulators that run already can serve a system in the project of the environment,
 * and the demo must not change its subscriptions. Vertex AI always uses the project of the environment.
 */
export function demoProject(env: NodeJS.ProcessEnv): { projectId: string; temporary: boolean } {
  const isShared =
    readEmulatorAddress('pubsub', env) !== undefined || readEmulatorAddress('firestore', env) !== undefined;
  const temporary = isShared && !usesVertex(env);
  return { projectId: temporary ? `demo-run-${randomUUID().slice(0, 8)}` : readProjectId(env), temporary };
}

/** The command for another terminal, with the variables that name the system of this demo. */
export function commandHere(): string {
  const { FIRESTORE_EMULATOR_HOST, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT } = process.env;
  const named = { FIRESTORE_EMULATOR_HOST, PUBSUB_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT };
  const variables = Object.entries(named).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  return [...variables, 'npx --no inquest'].join(' ');
}
