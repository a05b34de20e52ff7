// Lists without the features that an installation turns off. A build leaves their modules out, and the lists
// find undefined in their place.

import type { Off, Switchable } from '../contract/switches.ts';

/** An element of a feature that can be off; undefined where it is. */
export const unlessOff = <T>(off: Off, feature: Switchable, element: T): T | undefined =>
  off.has(feature) ? undefined : element;

/** The elements that are there. */
export const present = <T>(elements: readonly (T | undefined)[]): readonly T[] =>
  elements.filter((one) => one !== undefined);
