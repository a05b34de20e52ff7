// Topic `alerts`: opens a session for an alert.

import { handleAlert } from '../shared/lists/alertHandler.ts';
import { createAlertServices } from '../shared/wiring/alertServices.ts';
import { ownNames } from '../shared/wiring/ownNames.ts';
import { FUNCTION_NAMES, HTTP_SERVICE_NAMES } from './manifest.ts';
import { startServices } from './startServices.ts';
import { registerTopicFunction } from './topicFunction.ts';

const { config, deps, own } = startServices((env) => ({
  ...createAlertServices(env),
  own: ownNames(env, { functions: FUNCTION_NAMES, http: HTTP_SERVICE_NAMES }),
}));

registerTopicFunction('ingestAlert', (event) => handleAlert(event, config, deps, own), deps.log);
