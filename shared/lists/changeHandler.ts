// The handler of the topic `changes` with what features do with changes.

import { type ChangeHandlerDeps, type OnChange, receiveChange } from '../features/changes/receiveChange.ts';
import { checkChange } from '../features/checks/checkChange.ts';
import { present } from './present.ts';

const CHANGE_FEATURES: readonly OnChange[] = present([checkChange]);

/** Handles one event of the topic `changes`. @throws RetryableError when it must be delivered again. */
export const handleChange = (event: unknown, deps: ChangeHandlerDeps): Promise<void> =>
  receiveChange(event, deps, CHANGE_FEATURES);
