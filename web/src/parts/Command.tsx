// A command that can be copied. It breaks between its words only.

import { CopyButton } from './CopyButton.tsx';
import s from './parts.module.css';
import { Marked } from './Untrusted.tsx';

/** A command. @param label Text before it. */
export function Command({ command, label }: { command: string; label?: string }) {
  return (
    <span class={s.command}>
      {label !== undefined && (
        <b>
          <bdi>{label}</bdi>
        </b>
      )}
      <code>
        <bdi>
          {command.split(/(\s+)/).map((piece, index) =>
            index % 2 === 1 ? (
              piece
            ) : (
              <span key={index}>
                <Marked text={piece} />
              </span>
            ),
          )}
        </bdi>
      </code>
      <CopyButton text={command} what={`the command ${command.slice(0, 60)}`} label="Copy" />
    </span>
  );
}
