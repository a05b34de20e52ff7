import { expect, it } from 'vitest';
import { MODEL_CLIENTS, TOOL_SOURCES } from './extensionParts.ts';
import { EXTENSION_NAMES } from './extensions.ts';

it('every extension has a name, and every name an extension', () => {
  expect({ toolSources: Object.keys(TOOL_SOURCES), providers: Object.keys(MODEL_CLIENTS) }).toEqual(
    EXTENSION_NAMES,
  );
});
