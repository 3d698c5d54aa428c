/** A stored value as text: strings as they are, everything else as JSON with its line breaks. */
import { Text } from './text.tsx';

export function Value({ of }: { readonly of: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <pre class="value" tabIndex={0}>
      <Text of={valueText(of)} />
    </pre>
  );
}

export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
