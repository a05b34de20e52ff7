import { describe, expect, it } from 'vitest';
import { PROVIDER_PACKAGES } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import { LANGCHAIN_MODULE, type LoadModule, loadLangchain } from './packages.ts';

/** What Node throws for `missing`, asked for as `specifier` or by something that was. */
function notFound(missing: string): Error {
  const error = new Error(`Cannot find package '${missing}' imported from /app/index.js`);
  return Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
}

/** Loads what is really there, but fails with `error` for one module. */
function without(specifier: string, error: unknown): LoadModule {
  return async (asked) => {
    if (asked === specifier) throw error;
    return import(asked);
  };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  );
}

describe('the installed packages', () => {
  it('has the packages that messages name', async () => {
    const { MODEL_PROVIDER_CONFIG: known } = await loadLangchain('openai');
    const packages = Object.entries(known).map(([provider, { package: name }]) => [provider, name]);
    // "google" is ours: the Gemini client serves it.
    expect(Object.fromEntries(packages)).toEqual({ ...PROVIDER_PACKAGES, google: '@langchain/google' });
  });
});

describe('a missing package', () => {
  it('LangChain itself is named together with the package of the provider', async () => {
    const thrown = await failure(
      loadLangchain('anthropic', without(LANGCHAIN_MODULE, notFound('langchain'))),
    );
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({
      code: 'CONFIG_INVALID',
      message:
        'Provider "anthropic" needs the packages langchain and @langchain/anthropic; langchain is not installed: ' +
        'npm install langchain @langchain/anthropic',
    });
  });

  it('of the provider is named without a second one', async () => {
    const load = without('@langchain/openai', notFound('@langchain/openai'));
    expect(await failure(loadLangchain('azure_openai', load))).toMatchObject({
      code: 'CONFIG_INVALID',
      message:
        'Provider "azure_openai" needs the package @langchain/openai, which is not installed: npm install @langchain/openai',
    });
  });

  it('has the form in which Node reports it', async () => {
    expect(await failure(loadLangchain('mistralai'))).toMatchObject({
      message: expect.stringMatching(/needs the package @langchain\/mistralai, which is not installed/),
    });
  });

  it('that another package needs is the one that is named', async () => {
    const load = without(LANGCHAIN_MODULE, notFound('@langchain/core'));
    expect(await failure(loadLangchain('openai', load))).toMatchObject({
      message: expect.stringContaining('npm install @langchain/core'),
    });
  });

  it('is not blamed for a package that is there and broken', async () => {
    const load = without('@langchain/openai', new SyntaxError("Cannot find package 'x'"));
    const thrown = await failure(loadLangchain('openai', load));
    expect(thrown).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('cannot be loaded'),
    });
    expect((thrown as Error).message).not.toContain('npm install');
  });
});

describe('an unknown provider', () => {
  it.each(['opnai', 'constructor', '__proto__'])(
    '%s is reported with those that LangChain knows',
    async (provider) => {
      const { message } = (await failure(loadLangchain(provider))) as Error;
      expect(message).toContain(`Unknown provider "${provider}"`);
      expect(message).toMatch(/"google".*anthropic.*mistralai.*openai/);
    },
  );

  it('is never turned into a package to install', async () => {
    const load = without(LANGCHAIN_MODULE, notFound('langchain'));
    const { message } = (await failure(loadLangchain('opnai', load))) as Error;
    expect(message).toContain('Unknown provider "opnai"');
    expect(message).not.toContain('npm install');
  });
});
