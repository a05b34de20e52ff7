// A cause in words for people: `release of checkout (shop, shop-prod)`. One place for all outputs.

import { parseResource } from '../text/resource.ts';

interface NamedCause {
  component?: string | null | undefined;
  mechanism?: string | null | undefined;
}

/** The words of a cause; '' where neither is named. */
export function causeWords({ component, mechanism }: NamedCause): string {
  const how = mechanism === 'other' ? 'another fault' : (mechanism ?? '').replaceAll('_', ' ');
  return [how, componentWords(component ?? '')].filter((part) => part !== '').join(' of ');
}

/** A canonical name as its last part with its place; any other text as it is. */
function componentWords(component: string): string {
  const resource = parseResource(component);
  if (resource === undefined) return component;
  const { system, product, parts } = resource;
  if (system === 'git') return parts.map((part) => part ?? '').join('/');
  const [name, ...around] = parts.toReversed().map((part) => part ?? '');
  const kind = system === 'k8s' ? (around.shift() ?? '') : system === 'flag' ? system : '';
  const place = [product, ...around].filter((part) => part).join(', ');
  // Most workloads are deployments: their name says enough.
  const words = [kind === 'Deployment' ? '' : kind, name].filter((part) => part !== '').join(' ');
  return place === '' ? words : `${words} (${place})`;
}
