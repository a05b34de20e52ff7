// The questions of `inquest init`. Each has a default: the answer of the last run, or a usual one.

import type { Readable, Writable } from 'node:stream';
import { isCancel, multiselect, password, select, text } from '@clack/prompts';
import { packNames, readPack } from '../packs/pack.ts';
import { Interrupted } from '../process/interrupt.ts';
import { RESULT_NAMES, type ResultName, resultPlace } from './resultPlaces.ts';
import { ALERT_SOURCES, SOURCE_NAMES } from './sources.ts';
import type { Answers } from './writeConfig.ts';

/** Where questions are asked. */
export interface Dialog {
  input: Readable;
  output: Writable;
}

/** Answers that are given already: by options, and as defaults by the environment and the last run. */
export interface KnownAnswers {
  /** By options; these are not asked. */
  given: Partial<Omit<Answers, 'packs' | 'variables'> & { packs: string[] }>;
  /** Defaults. */
  usual: Omit<Answers, 'packs' | 'variables'> & { packs: readonly string[] };
  /** Variables of options; these are not asked. */
  set: Record<string, string>;
  /** Defaults of variables: of the last run, then of the environment. */
  variables: Record<string, string | undefined>;
}

/**
 * Asks for each answer that is not given.
 * @param dialog undefined takes every default.
 * @throws Interrupted at Ctrl-C; UsageError for a pack that does not exist.
 */
export async function askAnswers(
  { given, usual, set, variables }: KnownAnswers,
  dialog?: Dialog,
): Promise<Answers> {
  const ask = async <T>(
    known: T | undefined,
    standard: T,
    question: (dialog: Dialog) => Promise<NoInfer<T> | symbol>,
  ) => known ?? (dialog === undefined ? standard : (uncancelled(await question(dialog)) as T));
  const alerts = await ask(given.alerts, usual.alerts, (on) =>
    select({
      message: 'Where do alerts come from?',
      options: SOURCE_NAMES.map((value) => ({ value, label: ALERT_SOURCES[value].title })),
      initialValue: usual.alerts,
      ...on,
    }),
  );
  const names = await ask(given.packs, usual.packs, (on) =>
    multiselect({
      message: 'What can agents observe?',
      options: packNames().map((value) => ({ value, label: value, hint: describePackHint(value) })),
      initialValues: usual.packs,
      required: true,
      ...on,
    }),
  );
  const packs = names.map(readPack);
  const answered: Record<string, string> = { ...set };
  const askVariable = async (name: string, message: string, isSecret: boolean, fallback = '') => {
    const standard = variables[name] ?? fallback;
    answered[name] = await ask(set[name], standard, async (on) => {
      const known = standard === '' ? '' : ' (Enter keeps the present one)';
      const shown = `${message} (${name})${isSecret ? known : ''}`;
      const value = isSecret
        ? await password({ message: shown, ...on })
        : await text({ message: shown, defaultValue: standard, placeholder: standard, ...on });
      return value === '' || value === undefined ? standard : value;
    });
  };
  for (const { settings } of packs)
    for (const [name, { description, secret, default: fallback }] of Object.entries(settings))
      await askVariable(name, description, secret === true, fallback);
  const model = await ask(given.model, usual.model, (on) =>
    select({
      message: 'Which API answers as the model?',
      options: [
        { value: 'gemini', label: 'Gemini API, with a key of https://ai.google.dev/gemini-api/docs/api-key' },
        { value: 'vertex', label: 'Vertex AI, with a project of Google Cloud' },
      ],
      initialValue: usual.model,
      ...on,
    }),
  );
  if (model === 'gemini') await askVariable('GEMINI_API_KEY', 'Key of the Gemini API', true);
  else {
    await askVariable('GOOGLE_CLOUD_PROJECT', 'Project of Google Cloud', false);
    await askVariable('GOOGLE_CLOUD_LOCATION', 'Location of Vertex AI', false, 'global');
  }
  const results = await ask<ResultName>(given.results, usual.results, (on) =>
    select({
      message: 'Where do results go?',
      options: RESULT_NAMES.map((value) => ({
        value,
        label: resultPlace(value)?.title ?? 'only to the dashboard',
      })),
      initialValue: usual.results,
      ...on,
    }),
  );
  const setting = resultPlace(results)?.setting;
  if (setting !== undefined) await askVariable(setting.name, setting.description, false);
  return { alerts, packs, model, variables: answered, results, system: await askSystem() };

  async function askSystem(): Promise<Answers['system']> {
    const standard = usual.system === 'here' ? '' : usual.system.url;
    return await ask(given.system, usual.system, async (on) => {
      const url = await text({
        message:
          'Which Inquest gets the alerts? The address of your deployed one, or nothing for this machine',
        placeholder: standard || 'this machine',
        defaultValue: standard,
        validate: (value) =>
          value && !isWebAddress(value) ? 'must be an address such as https://…' : undefined,
        ...on,
      });
      if (isCancel(url)) return url;
      return url ? { url } : 'here';
    });
  }
}

/** Whether a text is an address of HTTP or HTTPS. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

/** The answer. @throws Interrupted when Ctrl-C was pressed instead. */
export function uncancelled<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Interrupted('SIGINT');
  return answer as Exclude<T, symbol>;
}

function describePackHint(name: string): string {
  const { description, tried } = readPack(name);
  return tried === undefined ? `${description}; never tried on the service` : description;
}
