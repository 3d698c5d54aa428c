/** One line that becomes two. */
export function Branches() {
  return (
    <svg class="branches" viewBox="0 0 96 120" aria-hidden="true" focusable="false">
      <path d="M4 60H36C52 60 52 28 68 28H92M36 60C52 60 52 92 68 92H92" />
      <circle cx="12" cy="60" r="4" />
      <circle cx="36" cy="60" r="4" />
      <circle cx="80" cy="28" r="4" />
      <circle cx="80" cy="92" r="4" />
    </svg>
  );
}
