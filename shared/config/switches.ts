// `features` of system.yaml: which features of an installation are off.

import * as z from 'zod';
import { CHANGE_SOURCES } from '../alerts/sources.ts';
import { SERVICE_MAP } from '../contract/mcpServer.ts';
import { describeOff, type Off, pickOff, SWITCHABLE, type Switchable } from '../contract/switches.ts';
import { asObject } from '../text/json.ts';
import { strictMapping } from './fields.ts';
import { type ConfigFiles, readOneFile } from './readFolder.ts';
import { type Fault, faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

const state = z.enum(['on', 'off']).optional();

/** `features` of system.yaml. */
export const switchesField = strictMapping(
  Object.fromEntries(SWITCHABLE.map((name) => [name, state])) as Record<Switchable, typeof state>,
).optional();

/** The features that a valid or invalid system.yaml turns off. */
const readSwitches = ({ value }: Pick<YamlFile, 'value'>): Off =>
  pickOff(
    Object.entries(asObject(asObject(value).features)).flatMap(([name, is]) => (is === 'off' ? name : [])),
  );

/** The features that the configuration in `folder` turns off; none where the file or folder is missing. */
export const loadOff = (folder: string): Off => readSwitches(readOneFile(folder, 'system', []));

/** A fault for each setting of a feature that is off. Missing files have none. */
export function switchFaults(
  files: Pick<
    ConfigFiles,
    'system' | 'chains' | 'moreChains' | 'servers' | 'destinations' | 'schedules' | 'webhooks'
  >,
  folder: string,
): Fault[] {
  const { system, destinations, schedules, webhooks } = files;
  const off = readSwitches(system);
  const faultsIn = (feature: Switchable, file: YamlFile, paths: YamlPath[]): Fault[] =>
    paths.map((path) =>
      faultAt(file, path, `has no effect: ${describeOff(feature)}; remove one of the two settings`, 'key'),
    );
  const keys = (file: YamlFile): YamlPath[] => Object.keys(asObject(file.value)).map((key) => [key]);
  const listed = (file: YamlFile, names: readonly string[]): YamlPath[] =>
    keys(file).filter(([key]) => names.some((name) => name === key));
  const rows: Record<Switchable, () => Fault[]> = {
    deliveries: () => faultsIn('deliveries', destinations, keys(destinations)),
    changes: () => [
      ...faultsIn('changes', webhooks, listed(webhooks, CHANGE_SOURCES)),
      ...faultsIn('changes', schedules, listed(schedules, ['afterChanges'])),
    ],
    knowledge: () => faultsIn('knowledge', system, listed(system, ['embeddingModel'])),
    schedules: () => faultsIn('schedules', schedules, keys(schedules)),
    telemetry: () => {
      const telemetry = readOneFile(folder, 'telemetry', []);
      return faultsIn('telemetry', telemetry, keys(telemetry));
    },
    chat: () =>
      [files.chains, ...files.moreChains].flatMap((file) => faultsIn('chat', file, chatPaths(file))),
    outcomes: () => [],
    topology: () => faultsIn('topology', files.servers, servicemapPaths(files.servers)),
  };
  return [...off].flatMap((feature) => rows[feature]());
}

/** The servers whose service maps only the topology reads. */
const servicemapPaths = (file: YamlFile): YamlPath[] =>
  Object.entries(asObject(asObject(file.value).servers)).flatMap(([name, server]) =>
    asObject(server).fields === SERVICE_MAP ? [['servers', name, 'fields']] : [],
  );

/** The chains of a file that name an agent for questions. */
const chatPaths = (file: YamlFile): YamlPath[] =>
  Object.entries(asObject(asObject(file.value).chains)).flatMap(([name, chain]) => {
    const { chat = 'off' } = asObject(chain);
    return chat === 'off' ? [] : [['chains', name, 'chat']];
  });
