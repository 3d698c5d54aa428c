/** The thread that the keys + and − zoom, while one is shown. */
import { signal } from '@preact/signals';

export const zoomKeys = signal<{ by(factor: number): void; fit(): void } | null>(null);
