/** The shape of each state: told by its form, not by its colour alone. */

import type { JSX } from 'preact';
import { say } from '../ground/language.ts';
import { classes } from '../lib/classes.ts';
import type { DisplayStatus } from '../state/display-status.ts';

/** In a square of 16. */
export const SHAPES: Readonly<Record<DisplayStatus, JSX.Element>> = {
  waiting: <path d="M8 0.8 15.2 8 8 15.2 0.8 8Z" fill="currentColor" />,
  running: (
    <g class="turning" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round">
      <path d="M8 2a6 6 0 1 1-6 6" />
    </g>
  ),
  interrupted: <path d="M10.2 0.5 3 9h4.2L5.6 15.5 13 6.6H8.6Z" fill="currentColor" />,
  failed: (
    <g>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1Z" fill="currentColor" />
      <path
        d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"
        stroke="var(--paper)"
        stroke-width="1.8"
        stroke-linecap="round"
      />
    </g>
  ),
  paused: <path d="M4.5 2.5v11m7-11v11" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />,
  idle: (
    <path
      d="M2 8h12"
      stroke="currentColor"
      stroke-width="2.6"
      stroke-linecap="round"
      stroke-dasharray="0.1 5.9"
    />
  ),
  queued: <circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" stroke-width="2" />,
  done: (
    <g>
      <circle cx="8" cy="8" r="7.2" fill="currentColor" />
      <path
        d="m4.8 8.3 2.2 2.2 4.3-4.6"
        fill="none"
        stroke="var(--paper)"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </g>
  ),
  cancelled: (
    <g fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round">
      <circle cx="8" cy="8" r="6.2" />
      <path d="M5.2 8h5.6" />
    </g>
  ),
};

export function Glyph({ of }: { readonly of: DisplayStatus }) {
  return (
    <svg class={classes('glyph', `is-${of}`)} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {SHAPES[of]}
    </svg>
  );
}

/** Shape and word. */
export function State({ of }: { readonly of: DisplayStatus }) {
  return (
    <span class={classes('state', `is-${of}`)}>
      <Glyph of={of} />
      {say(`page.state.${of}`)}
    </span>
  );
}
