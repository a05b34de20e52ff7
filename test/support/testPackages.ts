// Lets the program that tests run find LangChain and the reader of Parquet in test/packages: they are no
// dependencies of the project, and their users install them.

import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const INSTALLED = fileURLToPath(new URL('../packages/package.json', import.meta.url));

/** Resolves LangChain, its providers' packages and the reader of Parquet from test/packages. */
export const testPackages: Plugin = {
  name: 'test packages',
  enforce: 'pre',
  resolveId(id) {
    return /^(langchain\/|@langchain\/|hyparquet)/.test(id)
      ? this.resolve(id, INSTALLED, { skipSelf: true })
      : undefined;
  },
};
