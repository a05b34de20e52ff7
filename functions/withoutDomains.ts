// Replaces the domain that the functions-framework opens for each request. The first real one makes Node
// follow every promise and every emitter of the process from then on, which takes a sixth of an iteration's
// processor time (docs/decisions/0086-no-domains.md). Imported by each function before it registers itself.

import domain from 'node:domain';

/**
 * The part of a domain that the framework uses: it runs the function in it, and binds the function's callback
 * to it. Node itself enters and leaves `process.domain` around callbacks.
 */
const NO_DOMAIN = {
  on: () => NO_DOMAIN,
  enter: () => {},
  exit: () => {},
  run: (act: () => unknown) => act(),
  bind: <T>(callback: T): T => callback,
} as unknown as domain.Domain;

domain.create = () => NO_DOMAIN;
Object.assign(process, { domain: NO_DOMAIN });
