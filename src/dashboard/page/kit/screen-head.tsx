/** The head of a screen: the way back, and what this is about. */
import { Link } from './button.tsx';
import { Back } from './icons.tsx';
import { Text } from './text.tsx';

interface ScreenHeadProps {
  readonly title: string;
  /** The address before it, and its name. */
  readonly to: string;
  readonly from: string;
}

export function ScreenHead({ title, to, from }: ScreenHeadProps) {
  return (
    <header class="screen-head">
      <Link kind="bare" to={to}>
        <Back />
        <Text of={from} />
      </Link>
      <h1>
        <Text of={title} />
      </h1>
    </header>
  );
}
