// The names of this installation's own tool sources and model providers. Every service reads them with the
// configuration; extensionParts.ts has their code, which only iterations load.

import type { ExtensionNames } from '../config/agentFiles.ts';

/** The names that the configuration can use because of the extensions. */
export const EXTENSION_NAMES: ExtensionNames = {
  toolSources: [],
  providers: [],
};
