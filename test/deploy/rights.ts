// The rights of a deployment, as everything before its services and before Google's own asks for them.

import type { DeploymentSettings } from './settings.ts';

/** Decides by the declared rights, and notes each decision. */
export interface Rights {
  /** Whether one of the members has a role on a resource. A condition must name `database`. */
  allows(members: string | string[], role: string, resource: string, database?: string): boolean;
  /** The declared rights that have allowed something, as the settings write them. */
  used: Set<string>;
  /** The refusals, as sentences, in order. */
  denied: string[];
}

/** @param settings read at each decision, so that a test can change them. */
export function createRights(settings: () => DeploymentSettings): Rights {
  const rights: Rights = {
    used: new Set(),
    denied: [],
    allows(members, role, resource, database) {
      const found = settings().iam_triples.find((right) => {
        const [triple = '', condition] = right.split(' if ');
        const isFor = [members].flat().some((member) => triple === `${member} ${role} ${resource}`);
        return isFor && (condition === undefined || condition === `resource.name == "${database}"`);
      });
      if (found === undefined) rights.denied.push(`${[members].flat()[0]} was denied ${role} on ${resource}`);
      else rights.used.add(found);
      return found !== undefined;
    },
  };
  return rights;
}
