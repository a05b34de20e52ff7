// Components that render again only when a property, or a signal that they read, changes.

import { Component, type ComponentChildren, type ComponentType, type FunctionComponent, h } from 'preact';

/** The component, which ignores renders of its parent with equal properties. */
export function memo<P extends object>(render: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return Object.entries(next).some(([name, value]) => Reflect.get(this.props, name) !== value);
    }
    override render(): ComponentChildren {
      return h(render, this.props);
    }
  };
}
