// Starts the service that INQUEST_SERVICE names, for start.js.

import { TerminalError } from '../shared/core/errors.ts';
import { localHostname } from '../shared/wiring/localHostname.ts';
import { type FunctionName, SERVICE_NAMES } from './manifest.ts';
import { type Listening, serve } from './serve.ts';
import { startServices } from './startServices.ts';

/** The modules that register the functions. Only the one that is served is loaded. */
const FUNCTION_MODULES: Record<FunctionName, () => Promise<unknown>> = {
  ingestAlert: () => import('./ingestAlert.ts'),
  runIteration: () => import('./runIteration.ts'),
  buryIteration: () => import('./buryIteration.ts'),
  sweep: () => import('./sweep.ts'),
  deliver: () => import('./deliver.ts'),
  ingestChange: () => import('./ingestChange.ts'),
};

/** Serves the service. Ends the process with an error in the log when `INQUEST_SERVICE` names none. */
export async function listen(listening: Listening = {}): Promise<void> {
  const name = startServices(requireServiceName);
  if (name === 'api' || name === 'console') {
    const { listen: listenApi } = await import('./api.ts');
    listenApi(listening);
    return;
  }
  // With an emulator there is no check of callers, so that only this machine is listened to.
  const { hostname = localHostname(process.env), port } = listening;
  const [{ getFunctionServer }] = await Promise.all([
    // The framework's command takes the path of a module and listens on all addresses.
    import('./functionServer.ts'),
    FUNCTION_MODULES[name](),
  ]);
  serve(getFunctionServer(name).setTimeout(0), { port, hostname });
}

function requireServiceName({ INQUEST_SERVICE: given }: NodeJS.ProcessEnv) {
  const name = SERVICE_NAMES.find((one) => one === given);
  if (name !== undefined) return name;
  throw new TerminalError(
    'CONFIG_INVALID',
    `INQUEST_SERVICE is ${given ? `"${given}"` : 'not set'}: set it to one of ${SERVICE_NAMES.join(', ')}`,
  );
}
