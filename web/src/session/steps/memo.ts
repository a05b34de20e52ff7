// Components that are drawn anew only when what they are given, or a signal that they read, changes.

import { Component, type ComponentChildren, type FunctionComponent, h } from 'preact';

/** The component, drawn anew for other properties alone. */
export function memo<P extends object>(draw: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const before = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => before[name] !== value);
    }
    override render(): ComponentChildren {
      return h(draw, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
