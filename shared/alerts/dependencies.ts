// Declared dependencies of services near an alert, for evidence that names a component's dependency. Pure.

import type { Services } from './resource.ts';

interface Dependency {
  of: string;
  on: string[];
}

/** Steps from the service of the alert, and names in all: they are stored in the session. */
const MAX_STEPS = 3;
const MAX_NAMES = 200;

/**
 * The dependencies of a service and of the services that it depends on, up to 3 steps away.
 * @param service of the alert; null if it has none. Then there are no dependencies.
 */
export function declaredDependencies(service: string | null, services: Services = {}): Dependency[] {
  const found: Dependency[] = [];
  const seen = new Set<string>();
  let names = 0;
  let near = service === null ? [] : [service];
  for (let step = 0; step < MAX_STEPS; step++) {
    for (const name of near.filter((one) => !seen.has(one))) {
      seen.add(name);
      const on = (services[name]?.dependencies ?? []).flatMap((one) => listServiceResources(one, services));
      if (on.length === 0) continue;
      for (const of of listServiceResources(name, services)) {
        names += on.length + 1;
        if (names > MAX_NAMES) return found;
        found.push({ of, on });
      }
    }
    near = near.flatMap((name) => services[name]?.dependencies ?? []);
  }
  return found;
}

/** The resources of a service, and the service itself; a resource is its own. */
function listServiceResources(name: string, services: Services): string[] {
  const service = services[name];
  return service === undefined ? [name] : [`service:${name}`, ...service.workloads];
}
