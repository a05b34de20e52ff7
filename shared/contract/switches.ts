// The features that an installation can turn off with `features` of system.yaml.

/** Their names, as system.yaml has them. */
export const SWITCHABLE = [
  'deliveries',
  'changes',
  'knowledge',
  'schedules',
  'telemetry',
  'chat',
  'outcomes',
  'topology',
] as const;

/** The name of a feature that can be off. */
export type Switchable = (typeof SWITCHABLE)[number];

/** The features that are off. */
export type Off = ReadonlySet<Switchable>;

/** The variable with their names, separated by commas. Only the build and the local system set it. */
export const OFF_VARIABLE = 'INQUEST_FEATURES_OFF';

/** Every feature is on: the default. */
export const ALL_ON: Off = new Set();

/** The names among texts. */
export const pickOff = (names: readonly unknown[]): Off =>
  new Set(SWITCHABLE.filter((name) => names.includes(name)));

/** Why something does not exist, with the fix. */
export const describeOff = (feature: Switchable): string =>
  `${feature} ${feature.endsWith('s') ? 'are' : 'is'} off in this installation: \`features\` of system.yaml has \`${feature}: off\``;
