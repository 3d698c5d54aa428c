/** The few pictures that are no states. */
import type { ComponentChildren } from 'preact';

function Icon({ children }: { readonly children: ComponentChildren }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const Cross = () => (
  <Icon>
    <path d="m3.5 3.5 9 9m0-9-9 9" />
  </Icon>
);
export const Lens = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.6" />
    <path d="m10.5 10.5 3.6 3.6" />
  </Icon>
);
export const Back = () => (
  <Icon>
    <path d="M9.8 3 4.8 8l5 5" />
  </Icon>
);
export const Copy = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 3.2a1.5 1.5 0 0 0-1.3-.7H4A1.5 1.5 0 0 0 2.5 4v5.2c0 .6.3 1 .7 1.3" />
  </Icon>
);
export const Half = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.8" />
    <path d="M8 2.2a5.8 5.8 0 0 1 0 11.6Z" fill="currentColor" />
  </Icon>
);
export const Sun = () => (
  <Icon>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1.4v1.4m0 10.4v1.4M1.4 8h1.4m10.4 0h1.4M3.3 3.3l1 1m7.4 7.4 1 1m0-9.4-1 1m-7.4 7.4-1 1" />
  </Icon>
);
export const Moon = () => (
  <Icon>
    <path d="M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7Z" />
  </Icon>
);
export const Gear = () => (
  <Icon>
    <path d="M2 4.5h6.2m3.8 0h2M2 11.5h2m3.8 0H14" />
    <circle cx="10" cy="4.5" r="1.8" />
    <circle cx="6" cy="11.5" r="1.8" />
  </Icon>
);
export const Box = () => (
  <Icon>
    <path d="M1.8 2.8h12.4v3H1.8ZM3 5.8v7.4h10V5.8M6.4 8.6h3.2" />
  </Icon>
);
export const Chevron = () => (
  <Icon>
    <path d="m5.5 3 5 5-5 5" />
  </Icon>
);
export const Bars = () => (
  <Icon>
    <path d="M2.5 4.5h11m-11 3.5h11m-11 3.5h11" />
  </Icon>
);
export const Dots = () => (
  <Icon>
    <path d="M3.2 8h.01M8 8h.01M12.8 8h.01" stroke-width="2.6" />
  </Icon>
);
export const Plus = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);
export const Minus = () => (
  <Icon>
    <path d="M3 8h10" />
  </Icon>
);
export const Asks = () => (
  <Icon>
    <path d="M5.4 5.6a2.7 2.7 0 1 1 3.8 2.5c-.8.4-1.2.9-1.2 1.8M8 12.8v.1" />
  </Icon>
);
