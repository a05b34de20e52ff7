// Where an alert is, as lines for people: its resource, and its service in resources.yaml.

import type { Located, Services } from '../../shared/alerts/resource.ts';
import { printableText } from '../process/output.ts';

/** Lines of `adapt`, `route` and `resources explain`. @param width columns of the names of lines. */
export function locatedLines({ resource, service, candidates }: Located, width: number): string[] {
  const line = (name: string, text: string) => `${name.padEnd(width)} ${printableText(text)}`;
  if (resource === null) return [line('resource', 'none: no label names an object')];
  const unmapped =
    candidates.length > 0
      ? `not mapped: ${candidates.join(', ')} have it; name more parts in resources.yaml`
      : 'not mapped: no service of resources.yaml has it';
  return [line('resource', resource), line('service', service ?? unmapped)];
}

/** The entry of a service. @param width as for `locatedLines`. */
export function serviceLines(services: Services, name: string, width: number): string[] {
  const service = services[name];
  if (service === undefined) return [];
  const rows: [string, readonly string[]][] = [
    ['workloads', service.workloads],
    ['repository', service.repository === null ? [] : [service.repository]],
    ['flags', service.flags],
    ['dashboards', service.dashboards],
    ['depends on', service.dependencies],
  ];
  return rows.map(([row, items]) => `${row.padEnd(width)} ${printableText(items.join(', ')) || 'none'}`);
}
