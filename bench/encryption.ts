/** `npm run bench:encryption`: what sealing everything costs a durable step. */
import { encryptionFigures } from './encryption/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('encryption', encryptionFigures);
