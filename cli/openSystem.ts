// Starts model and system for a command, and points this process at them.

import type { Example } from '../local/examples.ts';
import { type ChosenModel, chooseModel } from '../local/model.ts';
import { type RunningSystem, startSystem } from '../local/system.ts';
import { configFolderOf, projectIdOf } from '../shared/environment.ts';

export interface OpenSystemOptions {
  example: Example;
  /** Progress, for people. */
  say: (line: string) => void;
  /** Whether the functions' own lines are shown too. */
  verbose: boolean;
  signal: AbortSignal;
}

export interface OpenedSystem {
  system: RunningSystem;
  model: ChosenModel;
  configFolder: string;
  stop(): Promise<void>;
}

/** Starts everything with `INQUEST_CONFIG`, or the example's configuration if that is not set. */
export async function openSystem(options: OpenSystemOptions): Promise<OpenedSystem> {
  const { example, say, signal } = options;
  const configFolder = process.env.INQUEST_CONFIG ? configFolderOf(process.env) : example.configFolder;
  const model = await chooseModel(process.env, example.scriptFile);
  try {
    say(`model: ${model.description}`);
    const system = await startSystem({
      projectId: projectIdOf(process.env),
      env: { ...model.env, INQUEST_CONFIG: configFolder },
      onProgress: say,
      onLine: (name, line) => options.verbose && say(`[${name}] ${line}`),
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
