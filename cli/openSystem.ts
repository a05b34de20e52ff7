// Starts model and system for a command, and points this process at them.

import type { Example } from '../local/examples.ts';
import { type ChosenModel, chooseModel } from '../local/model.ts';
import { type RunningSystem, startSystem } from '../local/system.ts';
import { configFolderOf, projectIdOf } from '../shared/environment.ts';

/** For the help of commands that run the system: what the environment may choose. */
export const LOCAL_HELP = `
Environment:
  INQUEST_CONFIG           a folder with your configuration, instead of the example's
  GEMINI_API_KEY           asks the real Gemini; without a key a scripted one answers
  GOOGLE_CLOUD_PROJECT     the name of the project on the emulators (default: demo-inquest)
  FIRESTORE_EMULATOR_HOST  an emulator that runs already, as host:port; not set: one is started
  PUBSUB_EMULATOR_HOST     the same for Pub/Sub`;

/** What `openSystem` starts, and what it reports meanwhile. */
export interface OpenSystemOptions {
  example: Example;
  /** Called with a line for people whenever a part is ready. */
  onProgress: (line: string) => void;
  /** Whether `onProgress` is also given the lines that the functions write. */
  verbose: boolean;
  /** Ends the start. */
  signal: AbortSignal;
}

/** A system that runs, with the model it asks. */
export interface OpenedSystem {
  system: RunningSystem;
  model: ChosenModel;
  /** The folder its configuration was read from. */
  configFolder: string;
  /** Stops the system and the model; resolves when both are gone. */
  stop(): Promise<void>;
}

/**
 * Starts a model and the system with `INQUEST_CONFIG`, or the example's configuration if that is not set.
 * @throws what `startSystem` throws; nothing is left running then.
 */
export async function openSystem(options: OpenSystemOptions): Promise<OpenedSystem> {
  const { example, onProgress, signal } = options;
  const configFolder = process.env.INQUEST_CONFIG ? configFolderOf(process.env) : example.configFolder;
  const model = await chooseModel(process.env, example.scriptFile);
  try {
    onProgress(`model: ${model.description}`);
    const system = await startSystem({
      projectId: projectIdOf(process.env),
      env: { ...model.env, INQUEST_CONFIG: configFolder },
      onProgress,
      onLine: (name, line) => options.verbose && onProgress(`[${name}] ${line}`),
      signal,
    });
    // The clients of this process find the emulators by environment, as any client does.
    Object.assign(process.env, system.env);
    const stop = async (): Promise<void> => {
      await Promise.all([system.stop(), model.stop()]);
    };
    return { system, model, configFolder, stop };
  } catch (error) {
    await model.stop();
    throw error;
  }
}
