// Lets the program that tests run find LangChain in test/packages: it is no dependency of the project, and its user installs it.

import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const INSTALLED = fileURLToPath(new URL('../packages/package.json', import.meta.url));

/** Resolves LangChain and its providers' packages from test/packages. */
export const testPackages: Plugin = {
  name: 'test packages',
  enforce: 'pre',
  resolveId(id) {
    return /^(langchain|@langchain)\//.test(id) ? this.resolve(id, INSTALLED, { skipSelf: true }) : undefined;
  },
};
